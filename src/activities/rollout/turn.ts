import {
  type Author,
  type Endpoint,
  type FormatError,
  type Lease,
  type Lenience,
  partAt,
  type Ref,
  type Rejected,
  type SharedBudget,
  type Transcript,
  type Turn,
  type Usage,
} from '../../contract';
import type { Deps } from '../../deps';
import { DIALECTS } from '../../rollout/dialects';
import { renderRequest } from '../../rollout/render';
import { actionLine, preview } from '../../rollout/summary';
import { createAsker, placeOf } from '../ask';
import { withHeartbeat } from '../heartbeat';
import { promptsFor } from '../prompts';
import { createPerformer, jobOf } from './perform';
import { asLost, assertHere } from './sandbox-host';

export interface CallModelInput {
  /** First execution's run id: the ledger's key together with turn and attempt. */
  readonly run: string;
  readonly head: string;
  readonly author: Author;
  readonly profile: string;
  /** Where this rollout asks it, if not where the profile says. */
  readonly endpoint?: Endpoint;
  readonly turn: number;
  /** Malformed replies of this turn so far, as blobs. */
  readonly rejected: readonly string[];
  readonly budget?: SharedBudget;
}

export type CallModelResult = {
  /** What the model said and did, readable in the Temporal UI; the whole of it is the blob. */
  readonly preview: string;
  readonly usage: Usage;
  /** Tokens that the next prompt will at least hold. */
  readonly contextTokens: number;
  /** Milliseconds of the call that was answered; what the activity took beyond it was waiting. */
  readonly latencyMs: number;
} & (
  | { readonly ok: true; readonly action: string; readonly lenient?: readonly Lenience[]; readonly turn: string }
  | { readonly ok: false; readonly code: FormatError['code']; readonly rejected: string }
);

/** Where and how a turn's action is run. */
export interface ActionGround {
  readonly lease: Lease;
  readonly commandSeconds: number;
  /** The part of a problem with several that the agent is asked for when it submits. */
  readonly next?: { readonly problem: Ref; readonly part: number };
}

export interface RunToolInput extends ActionGround {
  /** First execution's run id. */
  readonly run: string;
  readonly head: string;
  /** Blob of the turn whose action is run. */
  readonly turn: string;
}

export interface RunToolResult {
  /** Beginning and end of what the tool answered, readable in the Temporal UI. */
  readonly preview: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly submitted: boolean;
  readonly head: string;
}

/** A turn whose action was tried in the same activity. */
export type TakenTurn = CallModelResult & {
  /** Absent for a malformed reply, and for an action that is to be run by `runTool`. */
  readonly seen?: RunToolResult | undefined;
  /** Milliseconds that were spent on the action. */
  readonly actedMs?: number;
};

/** Characters of what a model said and of what a tool answered, as the Temporal UI shows them. */
const SAID = 500;
const ANSWERED = 400;
/** What an action may take to be part of its question's activity. */
const AT_ONCE_MS = 1_000;

export function createTurnActivities(deps: Deps) {
  const ask = createAuthor(deps);
  const act = createActor(deps);

  return {
    /**
     * One turn of one author: renders the chain in the author's dialect, asks, reads the reply. Retry-safe: an answered
     * call is in the ledger before this returns, and all it writes is content-addressed.
     */
    async callModel(input: CallModelInput): Promise<CallModelResult> {
      return withHeartbeat((signal) => ask(input, signal));
    },

    /**
     * Runs a turn's action and appends the step to the chain. Retry-safe: the action is a named journal job, so a retry
     * follows or reads the one that was started; `SandboxLost` when the container is gone or holds another history.
     */
    async runTool(input: RunToolInput): Promise<RunToolResult> {
      return withHeartbeat((signal) => act(input, signal));
    },

    /**
     * Both in one, for a sandbox that is where the model is asked. An action that takes longer than a second, or cannot be
     * run, is left to `runTool`, which follows the job or meets the trouble again. Retry-safe as the two are.
     */
    async takeTurn({ on, ...call }: CallModelInput & { readonly on: ActionGround }): Promise<TakenTurn> {
      return withHeartbeat(async (signal) => {
        const reply = await ask(call, signal);
        if (!reply.ok) return reply;
        const { run, head } = call;
        const began = performance.now();
        const atOnce = AbortSignal.any([signal, AbortSignal.timeout(AT_ONCE_MS)]);
        const seen = await act({ ...on, run, head, turn: reply.turn }, atOnce).catch(() => undefined);
        signal.throwIfAborted();
        const actedMs = Math.round(performance.now() - began);
        return { ...reply, actedMs, seen };
      });
    },
  };
}

function createAuthor(deps: Deps) {
  const { blobs, transcripts } = deps;
  const ask = createAsker(deps);

  return async (input: CallModelInput, signal: AbortSignal): Promise<CallModelResult> => {
    const { profile, session } = await placeOf(deps, input.profile, input.endpoint);
    const transcript = await transcripts.load(input.head);
    const rejected = await Promise.all(input.rejected.map((hash) => transcripts.rejected(hash)));
    const own = rejected.filter(({ author }) => author === undefined || author === input.author);
    const request = renderRequest(transcript, profile.view, promptsFor(profile.view), own);
    const call = { run: input.run, turn: input.turn, attempt: rejected.length, budget: input.budget };
    const before = own.at(-1)?.sampled?.tokens ?? lastTokens(transcript, input.profile);
    const given = await ask({ ...call, name: input.profile, profile, session, request, before, signal });
    const spent = {
      usage: given.usage,
      contextTokens: given.usage.promptTokens + given.usage.completionTokens,
      latencyMs: given.latencyMs,
    };
    const parsed = DIALECTS[profile.view.dialect].parse(given.reply, { actions: profile.view.actions });
    if (!parsed.ok) {
      const refused: Rejected = {
        reply: given.reply,
        error: parsed.error,
        author: input.author,
        ...(given.sampled ? { sampled: given.sampled } : {}),
      };
      const kept = await blobs.put(JSON.stringify(refused));
      return {
        preview: preview(`${parsed.error.code}: ${given.reply.content ?? ''}`, SAID),
        ok: false,
        code: parsed.error.code,
        rejected: kept.sha256,
        ...spent,
      };
    }
    const turn: Turn = {
      kind: 'turn',
      turn: input.turn,
      author: input.author,
      profile: input.profile,
      model: given.model,
      dialect: profile.view.dialect,
      reply: given.reply,
      thought: parsed.thought,
      ...(parsed.reasoning ? { reasoning: parsed.reasoning } : {}),
      action: parsed.action,
      ...(parsed.lenient ? { lenient: [...parsed.lenient] } : {}),
      ...(parsed.unfaithful ? { unfaithful: true } : {}),
      rejected,
      usage: given.usage,
      ...(given.sampled ? { sampled: given.sampled } : {}),
      ...(given.tokenIds ? { tokenIds: given.tokenIds } : {}),
      logprobs: given.logprobs,
    };
    return {
      preview: preview(parsed.thought, SAID),
      ok: true,
      action: actionLine(parsed.action),
      ...(parsed.lenient ? { lenient: parsed.lenient } : {}),
      turn: await transcripts.saveTurn(turn),
      ...spent,
    };
  };
}

function createActor(deps: Deps) {
  const { blobs, problems, timings, transcripts } = deps;
  const perform = createPerformer(deps);

  return async (input: RunToolInput, signal: AbortSignal): Promise<RunToolResult> => {
    assertHere(deps, input.lease);
    const turn = await transcripts.turn(input.turn);
    const { steps } = await transcripts.chain(input.head);
    const { step, durationMs, submitted } = await perform(
      {
        lease: input.lease,
        steps,
        parent: input.head,
        job: jobOf(turn, input.turn),
        turn,
        seconds: input.commandSeconds,
        next: input.next && partAt(await problems.kept(input.next.problem), input.next.part).statement,
      },
      signal,
    ).catch(asLost);
    const [head] = await Promise.all([
      transcripts.append(step),
      timings.record(input.run, { turn: turn.turn, durationMs, redone: 0 }),
    ]);
    const text = (await blobs.get(step.observation.text.sha256)).toString('utf8');
    return {
      preview: preview(text, ANSWERED),
      exitCode: step.observation.exitCode,
      timedOut: step.observation.timedOutAfter !== null,
      submitted,
      head,
    };
  };
}

/** Tokens of the last turn that this profile made: what it is asked next begins with them, as a rule. */
function lastTokens({ steps }: Transcript, profile: string): Ref | undefined {
  return steps.findLast(({ turn }) => turn.profile === profile && turn.sampled?.tokens)?.turn.sampled?.tokens;
}
