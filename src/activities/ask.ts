import { profileNamed, sessionOf } from '../config';
import {
  type ChatRequest,
  type Endpoint,
  type ModelProfile,
  PointsmanError,
  type Ref,
  type SharedBudget,
} from '../contract';
import type { Deps } from '../deps';
import {
  type CallSession,
  type ChatAnswer,
  createChatModel,
  estimateCost,
  type FreshAnswer,
  requestHash,
  requirePrice,
} from '../model';

interface Question {
  /** First execution's run id, with the role behind a slash where a run asks in several. */
  readonly run: string;
  readonly turn: number;
  /** Malformed replies to this turn so far. */
  readonly attempt: number;
  readonly name: string;
  readonly profile: ModelProfile;
  /** Where this rollout asks it, if not where the profile says. */
  readonly session?: CallSession;
  readonly request: ChatRequest;
  readonly budget?: SharedBudget;
  /** Kept tokens of the call whose prompt and answer this prompt is likely to begin with. */
  readonly before?: Ref;
  readonly signal: AbortSignal;
}

/** Where a profile is asked. Throws `InvalidInput` for an endpoint that the configuration does not allow. */
export async function placeOf(
  { config, sessionKeys }: Deps,
  name: string,
  endpoint: Endpoint | undefined,
): Promise<{ readonly profile: ModelProfile; readonly session?: CallSession }> {
  if (!endpoint) return { profile: profileNamed(config, name) };
  const { profile, gateway, token, headers } = sessionOf(config, name, endpoint);
  const key = token === undefined ? undefined : await sessionKeys.read(token, profile.baseUrl ?? '');
  return { profile, session: { gateway, headers, key } };
}

/**
 * Sends a request, or finds the answer that an earlier attempt of the same activity was given: an answered call is paid
 * for once. A shared budget is reserved before and settled after. Tokens are kept before the answer is in the ledger, so that
 * one which is found there has them.
 */
export function createAsker({
  ledger,
  budgets,
  sampled,
  shared: store,
  env,
}: Deps): (question: Question) => Promise<ChatAnswer> {
  return async ({ run, turn, attempt, name, profile, session, request, budget: shared, before, signal }) => {
    const key = { run, turn, attempt };
    const hash = requestHash(profile, request, session);
    const known = await ledger.answered(key, hash);
    const callId = `${run}/${turn}/${attempt}`;
    if (known) {
      // The attempt that was given it may have ended before it was booked; a call counts once.
      if (shared) await budgets.settle(shared.name, callId, known.usage.costUsd);
      return known;
    }
    if (shared) await reserve(shared, callId);
    let given: FreshAnswer;
    try {
      const owner = { name, env, session, places: store?.places };
      given = await createChatModel(profile, owner).complete(request, { signal, requestId: callId });
    } catch (error) {
      if (shared) await budgets.release(shared.name, callId);
      throw error;
    }
    const { tokens, ...answer } = given;
    const keeping = tokens && { sampled: { ...answer.sampled, tokens: await sampled.keep(tokens, before) } };
    const kept = await ledger.record(key, hash, { ...answer, ...keeping });
    if (shared) await budgets.settle(shared.name, callId, kept.usage.costUsd);
    return kept;

    async function reserve(cap: SharedBudget, id: string): Promise<void> {
      requirePrice(name, profile.price, cap.capUsd);
      const { costUsd } = estimateCost(request, profile);
      const verdict = await budgets.tryReserve(cap.name, cap.capUsd, id, costUsd);
      if (verdict === 'granted') return;
      // Calls in flight were reserved at their highest cost: when they end there may be room, so this attempt is retried.
      if (verdict === 'in-flight')
        throw new PointsmanError('Unavailable', `budget "${cap.name}": waiting for calls in flight`);
      throw new PointsmanError(
        'BudgetExhausted',
        `budget "${cap.name}" of $${cap.capUsd} is spent`,
        'Raise the cap to go on.',
      );
    }
  };
}
