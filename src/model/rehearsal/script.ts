import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { DialectName, PointsmanError, parseInput } from '../../contract';
import { Fault } from './faults';
import { MalformedKind } from './malformed';
import { ToyTokens } from './toy-tokens';

const Args = z.record(z.string(), z.unknown()).default({});

/** One reply of a scripted model. */
export const ScriptTurn = z.union([
  z.strictObject({ thought: z.string().default(''), tool: z.string().min(1), args: Args }),
  /** Text as it stands. With `slip`, the harness is expected to refuse it, so that it never becomes a turn. */
  z.strictObject({ raw: z.string(), slip: z.boolean().default(false) }),
  z.strictObject({ malformed: MalformedKind }),
]);
export type ScriptTurn = z.infer<typeof ScriptTurn>;

/** What follows the last turn: `submit` for ever, the last turn again for ever, or one given turn for ever. */
const End = z.union([z.enum(['submit', 'repeat']), ScriptTurn]);

/** Turns made by a rule, for long runs: `steps` times bash with `{k}` replaced, then the end. */
const Generate = z.strictObject({
  steps: z.int().min(0).max(100_000),
  command: z.string().default('echo step {k}'),
  thought: z.string().default('Step {k} of a generated rehearsal.'),
  /** Kibibytes of text that every command is made to print. */
  observationKiB: z.int().min(0).default(0),
});

/** Another list of turns, for the conversations whose opening contains `when`. */
const Scene = z.strictObject({
  when: z.string().min(1),
  turns: z.array(ScriptTurn).optional(),
  generate: Generate.optional(),
  end: End.optional(),
});

export const ScriptedModel = z.strictObject({
  dialect: DialectName.default('tools'),
  /** `turn`: by the number of assistant messages; `match`: by this script's own turns found in the history. */
  position: z.enum(['turn', 'match']).default('turn'),
  turns: z.array(ScriptTurn).default([]),
  generate: Generate.optional(),
  end: End.default('submit'),
  /** The first scene that fits is played instead of `turns`. */
  scenes: z.array(Scene).default([]),
  latencyMs: z.number().min(0).default(0),
  /** Longer prompts are refused as a real server refuses them. */
  contextTokens: z.int().min(1).optional(),
  faults: z.array(Fault).default([]),
  /** Ids and log-probabilities of a made-up vocabulary with each answer, as a server gives them that is asked for them. */
  tokens: ToyTokens.optional(),
});
export type ScriptedModel = z.infer<typeof ScriptedModel>;

export const Script = z.strictObject({ models: z.record(z.string().min(1), ScriptedModel) });
export type Script = z.infer<typeof Script>;
export type ScriptInput = z.input<typeof Script>;

/** Checks a script. Throws `InvalidInput` naming field, found and expected. */
export function parseScript(input: unknown, what = 'rehearsal script'): Script {
  return parseInput<Script>(Script as unknown as z.ZodType<Script>, input, what);
}

/** Reads a script from a YAML or JSON file (JSON is YAML). */
export function loadScript(file: string): Script {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new PointsmanError('InvalidInput', `rehearsal script ${file}: cannot be read (${reason})`, 'Check the path.');
  }
  let parsed: unknown;
  try {
    parsed = parse(text);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new PointsmanError('InvalidInput', `rehearsal script ${file}: not YAML: ${reason}`, 'Correct the syntax.');
  }
  return parseScript(parsed, `rehearsal script ${file}`);
}
