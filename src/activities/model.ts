import { profileNamed, sessionOf } from '../config';
import {
  type Author,
  type Endpoint,
  type FormatError,
  hasOwnQueue,
  type Lenience,
  type ModelProfile,
  type Ref,
  type Rejected,
  type SharedBudget,
  type Transcript,
  type Turn,
  type Usage,
} from '../contract';
import type { Deps } from '../deps';
import { type CallSession, createChatModel, requirePrice } from '../model';
import { DIALECTS } from '../rollout/dialects';
import { renderRequest } from '../rollout/render';
import { actionLine, preview } from '../rollout/summary';
import { createAsker } from './ask';
import { withHeartbeat } from './heartbeat';
import { promptsFor } from './prompts';

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

export interface CheckedProfiles {
  /** Profiles that are asked on a task queue of their own. */
  readonly ownQueue: readonly string[];
  /** `timeoutSeconds` of each. */
  readonly timeoutSeconds?: Readonly<Record<string, number>>;
  /** Profiles whose turns people make; absent where there are none. */
  readonly persons?: readonly string[];
}

const PREVIEW = 500;

export function createModelActivities(deps: Deps) {
  const { blobs, transcripts, sessionKeys, config, env } = deps;
  const ask = createAsker(deps);

  /** Where a profile is asked. Throws `InvalidInput` for an endpoint that the configuration does not allow. */
  async function placeOf(
    name: string,
    endpoint: Endpoint | undefined,
  ): Promise<{ readonly profile: ModelProfile; readonly session?: CallSession }> {
    if (!endpoint) return { profile: profileNamed(config, name) };
    const { profile, gateway, token, headers } = sessionOf(config, name, endpoint);
    const key = token === undefined ? undefined : await sessionKeys.read(token, profile.baseUrl ?? '');
    return { profile, session: { gateway, headers, ...(key === undefined ? {} : { key }) } };
  }

  return {
    /**
     * One turn of one author: renders the chain in the author's dialect, asks, reads the reply. Retry-safe: an answered
     * call is in the ledger before this returns, and all it writes is content-addressed.
     */
    async callModel(input: CallModelInput): Promise<CallModelResult> {
      return withHeartbeat(async (signal) => {
        const { profile, session } = await placeOf(input.profile, input.endpoint);
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
            preview: preview(`${parsed.error.code}: ${given.reply.content ?? ''}`, PREVIEW),
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
          preview: preview(parsed.thought, PREVIEW),
          ok: true,
          action: actionLine(parsed.action),
          ...(parsed.lenient ? { lenient: parsed.lenient } : {}),
          turn: await transcripts.saveTurn(turn),
          ...spent,
        };
      });
    },

    /**
     * Refuses a run before it starts: unknown profiles, missing keys, a cost cap over an unknown price. Names the profiles
     * that have a task queue of their own (the others are called from where workflows run), and how long each may take.
     * People are let in by `persons` alone: they make turns of rollouts, and answer no other question.
     */
    async checkProfiles(input: {
      profiles: readonly string[];
      capUsd?: number;
      persons?: boolean;
      /** Where a rollout asks some of them instead. */
      endpoints?: readonly { readonly profile: string; readonly endpoint: Endpoint }[];
    }): Promise<CheckedProfiles> {
      return withHeartbeat(async () => {
        const ownQueue: string[] = [];
        const persons: string[] = [];
        const timeoutSeconds: Record<string, number> = {};
        for (const name of input.profiles) {
          const profile = profileNamed(config, name);
          requirePrice(name, profile.price, input.capUsd);
          timeoutSeconds[name] = profile.timeoutSeconds;
          if (input.persons && profile.provider === 'person') persons.push(name);
          else if (hasOwnQueue(profile)) ownQueue.push(name);
          else if (!input.endpoints?.some((each) => each.profile === name)) createChatModel(profile, { name, env });
        }
        for (const { profile: name, endpoint } of input.endpoints ?? []) {
          const { profile, session } = await placeOf(name, endpoint);
          createChatModel(profile, { name, env, session });
        }
        return { ownQueue, timeoutSeconds, ...(persons.length > 0 ? { persons } : {}) };
      });
    },
  };
}

/** Tokens of the last turn that this profile made: what it is asked next begins with them, as a rule. */
function lastTokens({ steps }: Transcript, profile: string): Ref | undefined {
  return steps.findLast(({ turn }) => turn.profile === profile && turn.sampled?.tokens)?.turn.sampled?.tokens;
}
