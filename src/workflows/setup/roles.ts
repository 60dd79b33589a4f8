import { proxyActivities } from '@temporalio/workflow';
import type { createModelActivities } from '../../activities/model';
import type { Exhibit, MadeMove } from '../../activities/setup/evidence';
import type { Brief, CaseView, TakeMoveInput, TakeMoveResult } from '../../activities/setup/moves';
import type {
  FormatErrorCode,
  PolicyName,
  Queues,
  Ref,
  SetupLimits,
  SetupRole,
  SetupVerdictResult,
  SharedBudget,
  VerifierResult,
} from '../../contract';
import { whyUnread } from '../../rollout/lenience';
import { codeOf, isCancellation, messageOf } from '../durable/failures';
import { type ModelQueue, modelQueue, RETRY } from '../durable/retry';
import { moveActivities, setupHost, setupStore } from './activities';
import type { Allowance, Overspent, Purse } from './allowance';

/** What the roles of one set-up are asked with. */
export interface RoleGround {
  /** First execution's run id: the ledger's key. */
  readonly run: string;
  queueOf(policy: string): ModelQueue;
  readonly source: string;
  readonly limits: SetupLimits;
  readonly observationChars: number;
  readonly budget?: SharedBudget;
  readonly purse: Purse;
  readonly allowance: Allowance;
}

const models = proxyActivities<Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>>({
  startToCloseTimeout: '1 minute',
  retry: { ...RETRY, maximumAttempts: 20 },
});

/** Checks that all players can be asked, and finds out where. Throws `InvalidInput` for one that cannot. */
export async function rolesOf(
  players: readonly PolicyName[],
  { queues, ...ground }: Omit<RoleGround, 'queueOf'> & { readonly queues: Queues },
): Promise<RoleGround> {
  const profiles = players.filter((name) => !name.startsWith('builtin:'));
  const checked = await models.checkProfiles.executeWithOptions({ summary: 'who plays which part' }, [
    { profiles, capUsd: ground.allowance.capUsd },
  ]);
  return {
    ...ground,
    queueOf: (policy) => modelQueue(queues, checked, policy),
  };
}

/** Why a role ended before it was done: a provider's refusal, malformed replies, too many moves, a limit. Never a pass. */
export class RoleEnded extends Error {
  override readonly name = 'RoleEnded';
  constructor(
    readonly status:
      | 'model_rejected'
      | 'limit_context'
      | 'budget_exhausted'
      | 'format_exhausted'
      | 'limit_role_steps'
      | Overspent['status'],
    message: string,
    /** Blobs of the replies that none of could be read. */
    readonly refused: readonly string[] = [],
  ) {
    super(message);
  }
}

const ENDINGS: Readonly<Record<string, RoleEnded['status']>> = {
  ContextWindowExceeded: 'limit_context',
  ModelRejected: 'model_rejected',
  BudgetExhausted: 'budget_exhausted',
};

/**
 * One role's decision, while purse and clock of the whole set-up allow it. Malformed replies are sent back with what was
 * wrong, so often and no more; each is paid for.
 */
export async function decideMove(
  ground: RoleGround,
  move: Pick<TakeMoveInput, 'role' | 'policy' | 'turn' | 'head' | 'given' | 'about'>,
): Promise<TakeMoveResult & { ok: true }> {
  const { run, limits, observationChars, budget, purse, allowance } = ground;
  const rejected: string[] = [];
  const codes: FormatErrorCode[] = [];
  for (;;) {
    const over = allowance.overspentFor(move.policy);
    if (over) throw new RoleEnded(over.status, `the ${move.role} was stopped: ${over.why}`);
    const again = rejected.length > 0 ? ` · retry ${rejected.length}` : '';
    let taken: TakeMoveResult;
    try {
      taken = await moveActivities(ground.queueOf(move.policy)).takeMove.executeWithOptions(
        { summary: `turn ${move.turn} · ${move.role} ${move.policy}${again}` },
        [{ ...move, run, observationChars, rejected, budget }],
      );
    } catch (error) {
      const status = ENDINGS[codeOf(error) ?? ''];
      if (!status || isCancellation(error)) throw error;
      throw new RoleEnded(status, messageOf(error));
    }
    purse.usd += taken.usage.costUsd;
    purse.tokens += taken.usage.promptTokens + taken.usage.completionTokens;
    if (taken.ok) return taken;
    purse.formatRetries += 1;
    rejected.push(taken.rejected);
    codes.push(taken.code);
    if (rejected.length >= limits.consecutiveFormatErrors)
      throw new RoleEnded('format_exhausted', `the ${move.role}: ${whyUnread(codes)}`, rejected);
  }
}

interface Investigation {
  readonly role: Exclude<SetupRole, 'agent'>;
  readonly policy: PolicyName;
  readonly about: CaseView;
  /** Whether the last move ended it. */
  over(brief: Brief, made: MadeMove): boolean;
  /** Told of every head that the chain comes to, so that what was done before an outage is not lost. */
  reached?(head: string): void;
}

/**
 * A role that looks at a finished state: its moves run one by one, each in a throw-away container of the same frame, until
 * one of them ends it. Gives the head of its chain.
 */
async function investigate(
  ground: RoleGround,
  exhibit: Exhibit,
  { role, policy, about, over, reached }: Investigation,
): Promise<string> {
  const { given } = exhibit;
  let { head } = await moveActivities(ground.queueOf(policy)).openSetupChain.executeWithOptions(
    { summary: `the ${role} begins` },
    [{ role, source: ground.source, given }],
  );
  reached?.(head);
  for (let turn = 1; turn <= ground.limits.roleSteps; turn++) {
    const taken = await decideMove(ground, { role, policy, turn, head, given, about });
    const seconds = ground.limits.commandSeconds;
    const made = await setupHost(exhibit.lease.host, seconds).makeMove.executeWithOptions(
      { summary: `${role} ${turn} · ${taken.brief.line}`.slice(0, 120) },
      [{ ...exhibit, role, head, turn: taken.turn, seconds, charges: about.charges }],
    );
    head = made.head;
    reached?.(head);
    if (over(taken.brief, made)) return head;
  }
  throw new RoleEnded('limit_role_steps', `the ${role} made ${ground.limits.roleSteps} moves without an end`);
}

/** The verifier, in the loop. A role that ended early is a `verify` that did not pass, with the reason as its hint. */
export async function verify(
  ground: RoleGround,
  exhibit: Exhibit,
  policy: PolicyName,
  about: CaseView,
): Promise<{ result: VerifierResult; ref: Ref }> {
  const head = await investigate(ground, exhibit, {
    role: 'verifier',
    policy,
    about,
    over: ({ kind }) => kind === 'conclude',
  });
  return setupStore.concludeVerifier.executeWithOptions({ summary: 'what the verifier saw' }, [{ head }]);
}

/**
 * Prosecutor, then judge, once, after the loop. The verdict is computed from charges and findings; whatever keeps a role
 * from finishing is `error`, never a pass; what the judge had upheld by then stands.
 */
export async function tryCase(
  ground: RoleGround,
  exhibit: Exhibit,
  policies: { readonly prosecutor: PolicyName; readonly judge: PolicyName },
  about: CaseView,
): Promise<Omit<SetupVerdictResult, 'cost'>> {
  const heads = { prosecutor: '', judge: '' };
  let charges: Ref | null = null;
  let outage: string | undefined;
  try {
    await investigate(ground, exhibit, {
      role: 'prosecutor',
      policy: policies.prosecutor,
      about,
      over: ({ kind }) => kind === 'rest',
      reached: (head) => {
        heads.prosecutor = head;
      },
    });
    const brought = await setupStore.concludeProsecutor.executeWithOptions({ summary: 'the charges' }, [
      { head: heads.prosecutor },
    ]);
    charges = brought.charges;
    if (brought.count > 0) {
      const found = new Set<number>();
      await investigate(ground, exhibit, {
        role: 'judge',
        policy: policies.judge,
        about: { ...about, charges },
        over({ kind, charge }, { exitCode }) {
          // One that was refused leaves its charge open.
          if (kind === 'find' && charge !== undefined && exitCode === 0) found.add(charge);
          return found.size >= brought.count;
        },
        reached: (head) => {
          heads.judge = head;
        },
      });
    }
  } catch (error) {
    if (isCancellation(error)) throw error;
    outage = error instanceof RoleEnded ? error.message : messageOf(error);
  }
  return setupStore.concludeJudge.executeWithOptions({ summary: 'the verdict' }, [{ charges, heads, outage }]);
}
