import {
  CancellationScope,
  continueAsNew,
  executeChild,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { createModelActivities } from '../activities/model';
import type { createProblemActivities } from '../activities/problem';
import type { createTranscriptActivities } from '../activities/transcript';
import { authorAt, drawSwitch, handOverAt, missingAuthor } from '../agent/handover';
import { limitReached } from '../agent/limits';
import {
  type Author,
  type ExitStatus,
  type ProblemSource,
  queuesUnder,
  type Ref,
  RolloutInput,
  type RolloutResult,
} from '../contract';
import { modelActivities } from './durable/activities';
import { publish } from './durable/attributes';
import { details } from './durable/details';
import { codeOf, isCancellation, messageOf } from './durable/failures';
import { checked, refuse } from './durable/input';
import { progressQuery, transcriptQuery } from './durable/queries';
import { RolloutSandbox } from './durable/rollout-sandbox';
import { begin, progressOf, spend } from './durable/rollout-state';
import { Steering } from './durable/steering';
import { grade } from './grade';

const store = proxyActivities<
  ReturnType<typeof createTranscriptActivities> &
    ReturnType<typeof createProblemActivities> &
    Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>
>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20 },
});

/**
 * One trajectory (OEC, Algorithm 1): the student acts until the drawn switch index, then the expert goes on in the same
 * sandbox with the same steps rendered in its own format; the final patch is graded by the problem's tests. Pure
 * behavioural cloning is `handOver: {at: 0}`, pure on-policy `{never: true}`.
 *
 * Every turn is two activities, so a crash of anything loses at most an answer that the ledger still has.
 */
export async function rollout(raw: RolloutInput): Promise<RolloutResult> {
  const input = checked(RolloutInput, raw, 'rollout');
  const profiles = profilesOf(input);
  const { workflowId, firstExecutionRunId, taskQueue } = workflowInfo();
  const owner = { workflowId, firstRunId: firstExecutionRunId };
  const queues = queuesUnder(taskQueue);
  const state = begin(input);
  const steering = new Steering(
    {
      nextTurn: () => state.spent.steps + 1,
      handOver: (turn) => {
        state.draw = handOverAt(state.draw, turn);
      },
      canHandOver: () => (input.expert ? undefined : refuse('handOver: this rollout has no expert profile')),
      setBudget: (budget) => Object.assign(state.limits, budget),
      waiting: (reason) => show(reason ? (reason === 'paused' ? 'Paused' : 'Parked') : acting(), reason),
    },
    input.carry?.paused ?? false,
  );
  setHandler(progressQuery, () => progressOf(state), { description: 'Where the run is and what it has used.' });
  setHandler(transcriptQuery, () => ({ head: state.head, recent: state.recent }), {
    description: 'Head of the chain and the last turns.',
  });

  function show(phase: string, reason?: string): void {
    state.phase = phase;
    publish({ Phase: phase, Step: state.spent.steps });
    setCurrentDetails(details(state, reason));
  }

  // Handlers stand from here on: a person may steer a run that has not begun.
  const capUsd = input.limits.costUsd ?? input.budget?.capUsd;
  const { ownQueue } = await store.checkProfiles.executeWithOptions(
    { summary: `models: ${Object.values(profiles).join(', ')}` },
    [{ profiles: Object.values(profiles), capUsd }],
  );
  const queueOf = (profile: string) => (ownQueue.includes(profile) ? queues.model(profile) : queues.workflows);
  const problem = await store.loadProblem.executeWithOptions({ summary: nameOf(input.problem) }, [
    { problem: input.problem },
  ]);
  state.problemId = problem.id;
  const sandbox = new RolloutSandbox(
    { owner, queues, problem, profile: input.sandbox, limits: state.limits },
    state,
    steering,
  );
  if (!input.carry) {
    const drawn = drawSwitch(input.handOver, input.seed, problem.id, input.attempt);
    state.draw = { ...drawn, forcedAt: state.draw.forcedAt };
    upsertMemo({ problem: problem.id, switchIndex: drawn.studentTurns, handOver: input.handOver });
    publish({
      InstanceId: problem.id,
      Student: profiles.student,
      Expert: profiles.expert,
      SwitchIndex: drawn.studentTurns ?? undefined,
    });
  }

  let status: ExitStatus = 'cancelled';
  let detail: string | undefined;
  try {
    if (input.fork && !input.carry) {
      const prefix = await store.forkTranscript.executeWithOptions(
        { summary: `${input.fork.step} steps of ${input.fork.run}`.slice(0, 120) },
        [{ fork: input.fork, problem: problem.ref }],
      );
      Object.assign(state, { head: prefix.head, forked: prefix.steps });
      state.spent.steps = prefix.steps;
    } else if (!state.head)
      state.head = (
        await store.openTranscript.executeWithOptions({ summary: 'an empty chain' }, [{ problem: problem.ref }])
      ).head;
    await sandbox.claim();
    [status, detail] = await turns();
    await sandbox.keepWork();
    return await conclude();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await sandbox.keepWork();
      upsertMemo({ result: resultOf(null) });
      publish({ Phase: 'Done', Outcome: 'cancelled', Step: state.spent.steps, CostUsd: state.spent.costUsd });
    });
    throw error;
  } finally {
    if (!state.continuing) await sandbox.release();
  }

  /** Algorithm 1: for each step, the author of the turn acts on the history in its own format, and the sandbox answers. */
  async function turns(): Promise<[ExitStatus, string?]> {
    for (;;) {
      await steering.whilePaused();
      if (steering.abandoned) return ['cancelled', 'abandoned by a person'];
      const reached = limitReached(state.limits, state.clock(steering.idleMs));
      if (reached) return [reached];
      // Not between a malformed reply and its retry: the next run would not know of it.
      if (workflowInfo().continueAsNewSuggested && state.rejected.length === 0) await carryOn();

      const turn = state.spent.steps + 1;
      const author = authorAt(input.handOver, state.draw, turn);
      if (author !== state.lastAuthor) handTo(author, turn);

      const reply = await act(author, turn);
      if (typeof reply === 'string') return [reply, state.trouble];
      if (!reply.ok) {
        state.rejected.push(reply.rejected);
        continue;
      }
      const seen = await sandbox.run(turn, reply);
      if (seen === 'sandbox_lost') return [seen, state.trouble];
      state.took(author, turn, reply, seen);
      setCurrentDetails(details(state));
      if (turn % 10 === 0) publish({ Step: turn, CostUsd: state.spent.costUsd });
      if (seen.submitted) return ['submitted'];
      await sandbox.checkpointAfter(turn);
    }
  }

  function handTo(author: Author, turn: number): void {
    state.lastAuthor = author;
    if (author === 'expert') state.expertFrom ??= turn;
    show(acting());
  }

  function acting(): string {
    return state.lastAuthor === null ? 'Starting' : state.lastAuthor === 'expert' ? 'Expert' : 'Student';
  }

  /** The model's action, a malformed reply, or the status that ends the run. */
  async function act(author: Author, turn: number) {
    const profile = profiles[author]!;
    for (;;) {
      const since = Date.now();
      try {
        const reply = await modelActivities(queueOf(profile)).callModel.executeWithOptions(
          {
            summary: `turn ${turn} · ${author} ${profile}${state.rejected.length > 0 ? ` · retry ${state.rejected.length}` : ''}`,
          },
          [
            {
              run: owner.firstRunId,
              head: state.head,
              author,
              profile,
              turn,
              rejected: state.rejected,
              budget: input.budget,
            },
          ],
        );
        spend(state, reply, Date.now() - since);
        return reply;
      } catch (error) {
        if (isCancellation(error)) throw error;
        state.trouble = messageOf(error);
        const status = MODEL_ENDINGS[codeOf(error) ?? ''];
        if (status) return status;
        await steering.park(`the model ${profile} cannot be called: ${state.trouble}`);
        if (steering.abandoned) return 'cancelled' as const;
      }
    }
  }

  async function carryOn(): Promise<never> {
    state.continuing = true;
    return continueAsNew<typeof rollout>({ ...input, fork: undefined, carry: state.carry(steering) });
  }

  async function conclude(): Promise<RolloutResult> {
    // The work is a patch by now; its sandbox makes room for the judge's.
    await sandbox.release();
    const graded = input.grade && state.patch ? await judge(state.patch) : null;
    const result = resultOf(graded);
    state.phase = 'Done';
    publish({
      Phase: 'Done',
      Outcome: status,
      Step: state.spent.steps,
      CostUsd: state.spent.costUsd,
      Resolved: result.resolved ?? undefined,
    });
    setCurrentDetails(
      details(state, result.resolved === null ? status : `${status}, ${result.resolved ? 'resolved' : 'not resolved'}`),
    );
    return result;
  }

  /** No verdict is no result: what keeps the tests from running is waited out, or the run is abandoned ungraded. */
  async function judge(patch: Ref): Promise<RolloutResult['grade']> {
    show('Grading');
    const before = detail;
    while (!steering.abandoned) {
      detail = before;
      try {
        return await executeChild(grade, {
          args: [{ problem: input.problem, patch }],
          workflowId: `${workflowId}/grade`,
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
          staticSummary: `grade ${problem.id}`,
        });
      } catch (error) {
        if (isCancellation(error)) throw error;
        detail = `not graded: ${messageOf(error)}`;
        await steering.park(detail);
      }
    }
    return null;
  }

  function resultOf(graded: RolloutResult['grade']): RolloutResult {
    const { spent } = state;
    return {
      id: workflowId,
      status,
      resolved: graded?.resolved ?? null,
      handOver: { sampled: state.draw.studentTurns, expertFrom: state.expertFrom },
      turns: { total: spent.steps, ...state.authorTurns, formatRetries: state.formatRetries },
      cost: { usd: Math.round(spent.costUsd * 1e6) / 1e6, tokens: spent.tokens },
      head: state.head,
      patch: state.patch,
      workspace: state.workspace,
      grade: graded,
      recovered: { sandboxes: state.recoveries, redoneSteps: state.redone },
      ...(detail === undefined ? {} : { detail }),
    };
  }
}

function nameOf(problem: ProblemSource): string {
  if (typeof problem === 'string') return problem;
  return 'id' in problem ? problem.id : `problem ${problem.sha256.slice(0, 12)}`;
}

/** What a provider says for good becomes an outcome of the run; everything else is trouble that passes. */
const MODEL_ENDINGS: Readonly<Record<string, ExitStatus>> = {
  ContextWindowExceeded: 'limit_context',
  ModelRejected: 'model_rejected',
  BudgetExhausted: 'budget_exhausted',
};

/** Which profile acts for whom; refuses a policy whose author has none. */
function profilesOf(input: RolloutInput): Partial<Record<Author, string>> {
  const missing = missingAuthor(input.handOver, input);
  if (missing) refuse(`rollout: ${missing.author}: a profile name is needed (found nothing)`, missing.hint);
  return { ...(input.student ? { student: input.student } : {}), ...(input.expert ? { expert: input.expert } : {}) };
}
