import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { HandOverPolicy } from '../../src/contract/hand-over';
import type { DialectName } from '../../src/contract/names';
import type { View } from '../../src/contract/profile';
import type { Action, Author, Rejected, SeenStep, Transcript } from '../../src/contract/step';
import { renderConversation } from '../../src/dataset/conversation';
import type { ExportContext } from '../../src/dataset/exporters';
import { sampledOf } from '../../src/dataset/exporters/sampled-calls';
import { modelCalls } from '../../src/dataset/model-calls';
import type { DatasetRow, TrajectoryCall } from '../../src/dataset/row';
import { toyScores, toyTokens } from '../../src/model/rehearsal/toy-tokens';
import { DIALECTS } from '../../src/rollout/dialects';
import { rawReply } from '../../src/rollout/dialects/dialect';
import { authorAt, drawSwitch } from '../../src/rollout/handover';
import { renderRequest } from '../../src/rollout/render';
import { actionOf, anyText, DIALECT_NAMES, promptsOf, stepOf, transcriptOf, turnOf, viewOf } from '../rollout/sample';

export const CONTEXT: ExportContext = {
  prompts: Object.fromEntries(DIALECT_NAMES.map((name) => [name, promptsOf(name)])) as ExportContext['prompts'],
};

/** Texts that formats and tokenizers give a meaning to, beside those that dialects do. */
const hostile = fc.oneof(
  anyText,
  fc.constantFrom(
    '<|im_end|>',
    '<|im_start|>assistant\n',
    '{% generation %}',
    '</think>',
    '\u2028',
    '\ud800',
    'x\udc00y',
    '\0',
    '-100',
    '\n\n\n',
    '   ',
  ),
);

const anyPolicy: fc.Arbitrary<HandOverPolicy> = fc.oneof(
  fc.integer({ min: 0, max: 12 }).map((k) => ({ uniform: [0, k] as [number, number] })),
  fc.integer({ min: 0, max: 12 }).map((at) => ({ at })),
  fc
    .record({
      initial: fc.double({ min: 0, max: 1, noNaN: true }),
      decay: fc.double({ min: 0.5, max: 1, noNaN: true }),
    })
    .map((beta) => ({ beta })),
  fc
    .array(fc.constantFrom<Author>('student', 'expert'), { minLength: 1, maxLength: 8 })
    .map((sequence) => ({ sequence })),
  fc.constant({ never: true as const }),
);

/** A turn's words are marked with its author and number, a command's output with its own mark and those words again. */
const markOf = (author: Author, turn: number) => `[${author === 'expert' ? 'E' : 'S'}${turn}]`;

const anyTurn = fc.record({ thought: hostile, action: actionOf(anyText), observation: hostile });

export interface RowOptions {
  readonly dialect?: DialectName;
  readonly minTurns?: number;
  readonly view?: Partial<View>;
  readonly train?: readonly Author[];
  /** Absent: every call with its tokens. */
  readonly calls?: readonly TrajectoryCall[];
}

/** Rows of every policy and dialect, with texts that collide with everything. */
export function anyRow(options: RowOptions = {}): fc.Arbitrary<DatasetRow> {
  return fc
    .record({
      policy: anyPolicy,
      turns: fc.array(anyTurn, { minLength: options.minTurns ?? 1, maxLength: 9 }),
      dialect: options.dialect ? fc.constant(options.dialect) : fc.constantFrom(...DIALECT_NAMES),
      seed: fc.nat(),
    })
    .map(({ policy, turns, dialect, seed }) => {
      const drawn = drawSwitch(policy, seed, 'p-1', 0);
      const steps = turns.map(({ thought, action, observation }, i) => {
        const author = authorAt(policy, drawn, i + 1);
        const mark = markOf(author, i + 1);
        return stepOf(
          turnOf(i + 1, `${mark}${thought}`, action, author),
          `[O${i + 1}]${observation}\n${author} said so`,
        );
      });
      return rowOf(steps, { id: `run-${seed}`, dialect, ...options });
    });
}

export function rowOf(
  steps: SeenStep[],
  { id = 'run-1', dialect = 'xml', view = {}, train = ['expert'], calls }: RowOptions & { id?: string } = {},
): DatasetRow {
  const transcript = transcriptOf(steps);
  const shown = viewOf(dialect, view);
  const hashes = steps.map((step, i) => createHash('sha256').update(`${id} ${i} ${step.turn.thought}`).digest('hex'));
  const conversation = renderConversation(transcript, { view: shown, prompts: promptsOf(dialect), train, hashes });
  let sampled = calls;
  const row: DatasetRow = {
    id,
    conversation,
    metadata: {
      instance_id: 'p-1',
      rollout_id: id,
      method: 'oec',
      switch: -1,
      expert_from: steps.findIndex(({ turn }) => turn.author === 'expert'),
      student: 'small',
      expert: 'large',
      resolved: true,
      graded: true,
      graded_reward: 1,
      valid: true,
      reason: '',
      pass: 0,
      status: 'submitted',
      patch: 'diff --git a/a b/a\n',
      head: hashes.at(-1) ?? '',
      dialect,
      licence: 'MIT',
      train,
      flags: [...conversation.marks],
    },
    trajectory: {
      transcript,
      view: shown,
      prompts: promptsOf(dialect),
      hashes,
      status: 'submitted',
      copied: 0,
      // Formats that read them are few, and a prompt for each turn is much.
      get calls() {
        sampled ??= sampledCalls(transcript, shown);
        return sampled;
      },
      get scores() {
        return sampledOf(row)?.samples.map(({ ids, prompt }) => ({ model: 'large', logprobs: teacherOf(ids, prompt) }));
      },
      cost: { usd: 0.5, tokens: 10 },
    },
  };
  return row;
}

/** What a teacher says of ids from `from` on. */
function teacherOf(ids: readonly number[], from: number): number[] {
  return toyScores('large', ids, from).map(({ logprob }) => logprob);
}

/** The calls behind a transcript, each with tokens of a made-up vocabulary, as all that it was asked gives them. */
export function sampledCalls(
  transcript: Transcript,
  view: View,
  { refused = [], copied = 0, stripsThoughts = false }: SampledOptions = {},
): TrajectoryCall[] {
  return modelCalls(transcript, { refused, copied }).map((call, nth) => {
    const { opening, steps } = transcript;
    const prompts = promptsOf(view.dialect);
    const shown = { opening, steps: steps.slice(0, call.before) };
    const { messages, tools } = renderRequest(shown, view, prompts, call.rejected);
    const made = call.step === null ? undefined : DIALECTS[view.dialect].renderTurn(steps[call.step]!.turn).message;
    const reply = made ? rawReply(made) : call.reply;
    const { prompt, answer, logprobs } = toyTokens(messages, tools, reply, { nth, stripsThoughts });
    const kept = { tokens: { sha256: 'a'.repeat(64), bytes: 1 } };
    return { ...call, kept, tokens: { prompt: [...prompt], answer: [...answer], logprobs: [...logprobs] } };
  });
}

interface SampledOptions {
  readonly refused?: readonly Rejected[];
  readonly copied?: number;
  readonly stripsThoughts?: boolean;
}

/** A run of `authors`, one turn each: bash, and `submit` at the end. */
export function runOf(authors: readonly Author[], options: RowOptions & { id?: string } = {}): DatasetRow {
  const id = options.id ?? 'run-1';
  const steps = authors.map((author, i) => {
    const last = i === authors.length - 1;
    const action: Action = last ? { tool: 'submit', args: {} } : { tool: 'bash', args: { command: `echo ${i} ${id}` } };
    return stepOf(turnOf(i + 1, `${markOf(author, i + 1)} I look at part ${i} of ${id}.`, action, author), `${i}\n`);
  });
  return rowOf(steps, { ...options, id });
}

/**
 * Whether a row has only characters that this Unicode version assigns. Tokenizers split by classes of characters, and two
 * programs of different years class those that were added in between differently.
 */
export function isOfThisUnicode({ conversation }: DatasetRow): boolean {
  return !/\p{Cn}/u.test(JSON.stringify(conversation.messages));
}
