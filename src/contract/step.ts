import { z } from 'zod';
import { DialectName } from './names';

/**
 * The canonical trajectory: an `opening` followed by `steps`, each a content-addressed blob that names its parent.
 * Nothing here depends on a model's format; dialects render it and parse replies into it. Nothing in the chain depends on
 * when or how often something ran either: two runs that did the same have the same head. Durations, response ids and
 * redone steps are written beside it (`Timing`).
 */

/** A body kept outside of the workflow history. `sha256` is lower-case hex, `bytes` its length. */
export const Ref = z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.int().min(0) });
export type Ref = z.infer<typeof Ref>;

export const Author = z.enum(['student', 'expert']);
export type Author = z.infer<typeof Author>;

/** What a tool is called with. `args` was validated by the tool's own schema when the reply was parsed. */
export const Action = z.strictObject({ tool: z.string(), args: z.record(z.string(), z.unknown()) });
export type Action = z.infer<typeof Action>;

/** A model's reply as the server gave it, before any reading of it. */
export const RawReply = z.strictObject({
  content: z.string().nullable(),
  toolCalls: z.array(z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() })),
  /** In the words of the protocol where the server has others for the same. */
  finishReason: z.string().nullable().optional(),
  /** What the server gave apart as the model's reasoning; absent where it gave none. */
  reasoning: z.string().nullable().optional(),
});
export type RawReply = z.infer<typeof RawReply>;

export const FormatErrorCode = z.enum([
  'missing_action',
  'multiple_actions',
  'unknown_tool',
  'invalid_arguments',
  'missing_argument',
  'unexpected_argument',
  'blocked_command',
  'empty_reply',
  'reply_too_long',
  'unclosed_reasoning',
]);
export type FormatErrorCode = z.infer<typeof FormatErrorCode>;

/** What was read although it is not as the format has it: the reading was the only one. */
export const Lenience = z.enum([
  /** A call in the text, in a dialect that has calls of the server's, or in the form of other models. */
  'call_as_text',
  /** A call that the server read, in a dialect of text. */
  'native_call',
  /** Dirt around the name of the tool. */
  'name',
  /** Arguments encoded twice, with bare line ends, or with dirt behind them. */
  'arguments',
  'extra_arguments',
  /** Other blocks of text beside the one that is a shell's. */
  'quoted_blocks',
  /** Further actions were left out, as the profile says (`view.actions: first`). */
  'first_of_several',
]);
export type Lenience = z.infer<typeof Lenience>;

/** Why a reply could not be executed. `observation` is what the model is told so that it can mend it. */
export const FormatError = z.strictObject({ code: FormatErrorCode, observation: z.string() });
export type FormatError = z.infer<typeof FormatError>;

export const Usage = z.strictObject({
  promptTokens: z.int().min(0),
  cachedTokens: z.int().min(0),
  completionTokens: z.int().min(0),
  costUsd: z.number().min(0),
});
export type Usage = z.infer<typeof Usage>;

/** What a server sampled an answer with: vocabulary ids of its own tokenizer. */
export const SampledTokens = z.strictObject({
  /** All that the model read; absent where the server does not give it. */
  prompt: z.array(z.int().min(0)).optional(),
  answer: z.array(z.int().min(0)),
  /** Natural logarithms, one for each id of the answer; absent where the server gave none, or not as many. */
  logprobs: z.array(z.number()).optional(),
  /** Experts that each token was routed to, as the server has them (mixture-of-experts models). */
  routedExperts: z.unknown().optional(),
});
export type SampledTokens = z.infer<typeof SampledTokens>;

/** What is kept of an answered call's tokens, where the profile asks for them (`keepTokens`). */
export const KeptTokens = z.strictObject({
  /** Blob of the tokens; absent where nothing could be kept. */
  tokens: Ref.optional(),
  /** What the server did not give, or gave in other lengths than fit together; a sentence each. */
  dropped: z.array(z.string()).optional(),
});
export type KeptTokens = z.infer<typeof KeptTokens>;

/**
 * A malformed reply and what was said about it. It is shown to its author until a reply can be read, and never becomes a
 * step. `author` is there since a turn may have been another's when it began.
 */
export const Rejected = z.strictObject({
  reply: RawReply,
  error: FormatError,
  author: Author.optional(),
  sampled: KeptTokens.optional(),
});
export type Rejected = z.infer<typeof Rejected>;

/** The model's half of a step, written by `callModel` before the tool runs. */
export const Turn = z.strictObject({
  kind: z.literal('turn'),
  turn: z.int().min(1),
  author: Author,
  profile: z.string(),
  model: z.string(),
  dialect: DialectName,
  reply: RawReply,
  thought: z.string(),
  /** What the model thought before it spoke. No model is shown it again. */
  reasoning: z.string().optional(),
  action: Action,
  lenient: z.array(Lenience).optional(),
  /** Set when `render(parse(reply))` would not give the same action again (a value holds a closing tag). */
  unfaithful: z.boolean().optional(),
  rejected: z.array(Rejected),
  /** Who made the turn, where that was a person and no model: the name as it was given. */
  person: z.string().optional(),
  /** Where an agent of another system made the turn: its name and version. */
  agent: z.string().optional(),
  usage: Usage,
  /** What the answer was sampled with, beside the chain; absent unless the profile keeps tokens. */
  sampled: KeptTokens.optional(),
  tokenIds: z.array(z.int()).optional(),
  logprobs: z.unknown().optional(),
});
export type Turn = z.infer<typeof Turn>;

export const Observation = z.strictObject({
  /** Full output as it left the sandbox, at most the sandbox's output cap (head and tail kept). */
  text: Ref,
  exitCode: z.int().nullable(),
  /** Seconds after which the command was killed; null when it ended by itself. */
  timedOutAfter: z.number().nullable(),
  /** Bytes that the output cap dropped between head and tail, at least. */
  elidedBytes: z.int().min(0),
});
export type Observation = z.infer<typeof Observation>;

/** A file edit by bytes, so that `undo_edit` and viewers need no sandbox. `null` means the file did not exist. */
export const Edit = z.strictObject({ path: z.string(), before: Ref.nullable(), after: Ref.nullable() });
export type Edit = z.infer<typeof Edit>;

export const Step = z.strictObject({
  kind: z.literal('step'),
  parent: z.string(),
  turn: Turn,
  observation: Observation,
  edit: Edit.optional(),
  /** Git tree id of the work directory that the action met; null where it is not a git work tree. */
  workspace: z.string().nullable(),
  /** The journal's name of the job that did it. */
  job: z.string(),
});
export type Step = z.infer<typeof Step>;

/** What a step took, kept beside the chain under the run and the turn. */
export const Timing = z.strictObject({
  turn: z.int().min(1),
  durationMs: z.number(),
  /** Times that the action was applied again to rebuild a lost sandbox. */
  redone: z.int().min(0),
});
export type Timing = z.infer<typeof Timing>;

/** The first link of every chain. */
export const Opening = z.strictObject({
  kind: z.literal('opening'),
  problemId: z.string(),
  statement: z.string(),
  workdir: z.string(),
});
export type Opening = z.infer<typeof Opening>;

/** A step whose observation body has been read from the store: what dialects render. */
export interface SeenStep {
  readonly turn: Turn;
  readonly observation: string;
  readonly exitCode: number | null;
  readonly timedOutAfter: number | null;
  readonly elidedBytes: number;
  readonly edit?: Edit;
}

/** A transcript with bodies: what rendering and tools work on. */
export interface Transcript {
  readonly opening: Opening;
  readonly steps: readonly SeenStep[];
}

/** Messages of the OpenAI chat protocol, the neutral shape that every dialect renders into. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ChatToolCall[] }
  | { role: 'tool'; content: string; tool_call_id: string };
interface ChatToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}
export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}
export interface ChatRequest {
  messages: ChatMessage[];
  tools?: ChatTool[];
}
