import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { DialectName } from '../../src/contract/names';
import { View } from '../../src/contract/profile';
import type { Action, RawReply, SeenStep, Transcript, Turn } from '../../src/contract/step';
import { PROMPT_NAMES, type Prompts, promptFile } from '../../src/rollout/prompts';
import { codePoint } from '../support/code-points';

export const DIALECT_NAMES: readonly DialectName[] = DialectName.options;

export function promptsOf(dialect: DialectName): Prompts {
  const read = (name: (typeof PROMPT_NAMES)[number]) =>
    readFileSync(join(__dirname, '../../prompts', promptFile(dialect, name)), 'utf8');
  return Object.fromEntries(PROMPT_NAMES.map((name) => [name, read(name)])) as unknown as Prompts;
}

export function viewOf(dialect: DialectName, more: Partial<View> = {}): View {
  return View.parse({ dialect, ...more });
}

export function reply(content: string | null, calls: [string, string][] = [], finishReason = 'stop'): RawReply {
  const toolCalls = calls.map(([name, args], i) => ({ id: `x${i}`, name, arguments: args }));
  return { content, toolCalls, finishReason };
}

export function turnOf(turn: number, thought: string, action: Action, author: Turn['author'] = 'student'): Turn {
  return {
    kind: 'turn',
    turn,
    author,
    profile: 'p',
    model: 'm',
    dialect: 'xml',
    reply: reply(thought),
    thought,
    action,
    rejected: [],
    usage: { promptTokens: 1, cachedTokens: 0, completionTokens: 1, costUsd: 0 },
  };
}

export function stepOf(turn: Turn, observation: string, more: Partial<SeenStep> = {}): SeenStep {
  return { turn, observation, exitCode: 0, timedOutAfter: null, elidedBytes: 0, ...more };
}

export function transcriptOf(steps: SeenStep[]): Transcript {
  const opening = {
    kind: 'opening',
    problemId: 'p-1',
    statement: 'Fix {{working_dir}} please',
    workdir: '/repo',
  } as const;
  return { opening, steps };
}

/** Pieces that formats are made of, so that collisions happen all the time and not once in a million. */
const nasty = fc.constantFrom(
  '</parameter>',
  '</function>',
  '<function=bash>',
  '<parameter=path>',
  '```',
  '````',
  '```bash',
  '\n',
  '\n\n',
  '\r\n',
  "'",
  '"',
  '\\',
  '$x',
  '`',
  '--old_str',
  'submit',
  ' ',
  '\t',
  '\u0000',
  '\u001b[31m',
  '\u2028',
  '😀',
  'é',
  '{{observation}}',
  '__proto__',
  'a',
);

export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(fc.oneof(nasty, fc.string({ unit: codePoint, maxLength: 6 }), fc.string({ maxLength: 8 })), { maxLength: 7 })
    .map((parts) => parts.join('')),
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
);

/** Text without anything that a format gives a meaning to: it must always survive. */
export const plainText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', ' ', '"', "'", '\\', '$', 'é', '😀', '\t', '<b>', '&&'),
      fc.string({ maxLength: 8 }),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join('').replace(/[`<]/g, '_'));

export function actionOf(text: fc.Arbitrary<string>): fc.Arbitrary<Action> {
  const path = fc.oneof(
    fc.constant('/repo/a b.py'),
    text.map((t) => `/${t.replaceAll('\0', '')}`),
  );
  const call = (command: string, rest: Record<string, fc.Arbitrary<unknown>>) =>
    fc.record({ command: fc.constant(command), path, ...rest }).map((args) => ({ tool: 'str_replace_editor', args }));
  const line = fc.integer({ min: -1, max: 9_999 });
  return fc.oneof(
    text.filter((t) => t.trim() !== '' && !t.includes('\0')).map((command) => ({ tool: 'bash', args: { command } })),
    fc.constant({ tool: 'submit', args: {} }),
    call('view', {}),
    call('view', { view_range: fc.tuple(line, line) }),
    call('create', { file_text: text }),
    call('str_replace', { old_str: text, new_str: text }),
    call('str_replace', { old_str: text }),
    call('insert', { insert_line: line, new_str: text }),
    call('undo_edit', {}),
  ) as fc.Arbitrary<Action>;
}
