import type { Author, KeptTokens, RawReply, Rejected, SampledTokens, Transcript, Turn } from '../contract';

/** An answered call of a model: a turn, or a reply that could not be read. */
export interface ModelCall {
  readonly turn: number;
  /** Replies to the same turn before it, none of which could be read. */
  readonly attempt: number;
  readonly author: Author;
  readonly model: string;
  readonly reply: RawReply;
  /** Steps that were made before it. */
  readonly before: number;
  /** Index of the step that was made of it; null for a malformed reply. */
  readonly step: number | null;
  /** The malformed replies to the same turn that its author was shown with their errors. */
  readonly rejected: readonly Rejected[];
  /** Of a fork's kept steps: made in another run, whose own row it is trained in. */
  readonly copied: boolean;
  readonly kept: KeptTokens | undefined;
}

/** A call whose tokens are all there: what was read, what was sampled, and how likely each was. */
export interface SampledCall extends ModelCall {
  readonly tokens: SampledTokens & { readonly prompt: readonly number[] };
}

/**
 * The answered calls behind a transcript, in the order in which they were made; people's turns are none. `refused` are the
 * replies to a turn that was never made, `copied` the steps that a fork took over.
 */
export function modelCalls(
  { steps }: Transcript,
  { refused = [], copied = 0 }: { readonly refused?: readonly Rejected[]; readonly copied?: number } = {},
): ModelCall[] {
  const calls = steps.flatMap(({ turn }, i) => callsOf(turn, i, i < copied));
  const last = steps.at(-1)?.turn;
  if (refused.length === 0) return calls;
  const about = {
    turn: steps.length + 1,
    before: steps.length,
    author: last?.author ?? ('student' as const),
    model: last?.model ?? '',
  };
  return [...calls, ...malformedCalls(about, refused, false)];
}

function callsOf(turn: Turn, step: number, copied: boolean): ModelCall[] {
  const { author, model, reply, sampled: kept } = turn;
  const malformed = malformedCalls({ turn: turn.turn, before: step, author, model }, turn.rejected, copied);
  if (turn.person !== undefined) return malformed;
  const rejected = turn.rejected.filter((each) => (each.author ?? author) === author);
  const attempt = turn.rejected.length;
  return [...malformed, { turn: turn.turn, attempt, author, model, reply, before: step, step, rejected, copied, kept }];
}

function malformedCalls(
  { turn, before: steps, author, model }: Pick<ModelCall, 'turn' | 'before' | 'author' | 'model'>,
  rejected: readonly Rejected[],
  copied: boolean,
): ModelCall[] {
  return rejected.map((each, attempt) => {
    const by = each.author ?? author;
    const before = rejected.slice(0, attempt).filter((other) => (other.author ?? author) === by);
    const { reply, sampled: kept } = each;
    return { turn, attempt, author: by, model, reply, before: steps, step: null, rejected: before, copied, kept };
  });
}

/** A stretch of ids that a trainer takes as one sequence, and the answers in it. */
export interface Sample<Call extends SampledCall = SampledCall> {
  readonly ids: readonly number[];
  /** Ids of the first prompt: what comes before the first answer. */
  readonly prompt: number;
  readonly answers: readonly { readonly call: Call; readonly start: number; readonly end: number }[];
}

/**
 * Calls as sequences: where a prompt begins with the prompt and answer before it, the sequence goes on; where it does not (a
 * history that leaves out observations, a template that takes thoughts back), another begins.
 */
export function samplesOf<Call extends SampledCall>(calls: readonly Call[]): Sample<Call>[] {
  const samples: { ids: number[]; prompt: number; answers: Sample<Call>['answers'][number][] }[] = [];
  for (const call of calls) {
    const { prompt, answer } = call.tokens;
    const open = samples.at(-1);
    const goesOn = open && beginsWith(prompt, open.ids);
    const start = prompt.length;
    const added = { call, start, end: start + answer.length };
    if (goesOn) {
      open.ids = [...prompt, ...answer];
      open.answers.push(added);
    } else samples.push({ ids: [...prompt, ...answer], prompt: start, answers: [added] });
  }
  return samples;
}

export function beginsWith(ids: readonly number[], start: readonly number[]): boolean {
  return start.length <= ids.length && start.every((id, i) => ids[i] === id);
}

/** For each id of a sample after its first prompt: whether it was sampled, and its log-probability; 0 where it was not. */
export function responseOf({ ids, prompt, answers }: Sample): { ids: number[]; mask: (0 | 1)[]; logprobs: number[] } {
  const response = ids.slice(prompt);
  const mask = response.map((): 0 | 1 => 0);
  const logprobs = response.map(() => 0);
  for (const { call, start, end } of answers) {
    mask.fill(1, start - prompt, end - prompt);
    call.tokens.logprobs?.forEach((logprob, i) => {
      logprobs[start - prompt + i] = logprob;
    });
  }
  return { ids: response, mask, logprobs };
}
