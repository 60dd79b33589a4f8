import {
  CancellationScope,
  continueAsNew,
  defineUpdate,
  executeChild,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { CheckedProfiles, createModelActivities } from '../../activities/model';
import type { createProblemActivities, LoadedProblem } from '../../activities/problems/problem';
import type { createPersonActivities } from '../../activities/rollout/person';
import type { createTranscriptActivities } from '../../activities/rollout/transcript';
import type { TakenTurn } from '../../activities/rollout/turn';
import {
  type Author,
  type Endpoint,
  type ExitStatus,
  type FormatErrorCode,
  type ImportedWork,
  type ProblemSource,
  queuesUnder,
  type Ref,
  type RolloutCarry,
  RolloutInput,
  type RolloutResult,
  withNeeds,
} from '../../contract';
import { verdictOver, whyStopped } from '../../grading/reward';
import { authorAt, drawSwitch, handOverAt, missingAuthor, takesOver } from '../../rollout/handover';
import { whyUnread } from '../../rollout/lenience';
import { limitReached } from '../../rollout/limits';
import { turnActivities } from '../durable/activities';
import { publish } from '../durable/attributes';
import { codeOf, isCancellation, messageOf } from '../durable/failures';
import { checked, refuse } from '../durable/input';
import { Phase } from '../durable/phase';
import { modelQueue, STORE } from '../durable/retry';
import { onSetBudget, Steering } from '../durable/steering';
import { grade } from '../grading';
import { PersonsTurn } from './person';
import { RolloutSandbox } from './sandbox';
import {
  beginRollout,
  clock,
  describeRollout,
  handOverOf,
  progressOf,
  progressQuery,
  type RecentTurn,
  spend,
  take,
  transcriptQuery,
} from './state';

/**
 * One trajectory (OEC, Algorithm 1): the student acts until the drawn switch index, then the expert goes on in the same
 * sandbox with the same steps rendered in its own format; the final patch is graded by the problem's tests. Pure
 * behavioural cloning is `handOver: {at: 0}`, pure on-policy `{never: true}`.
 *
 * A turn is one activity, or two where its action takes its time or runs on another host. A crash of anything loses at most
 * an answer that the ledger still has, and a command that the sandbox's journal goes on with.
 */
export async function rollout(raw: RolloutInput): Promise<RolloutResult> {
  return new Rollout(checked(RolloutInput, raw, 'rollout')).run();
}

const handOverUpdate = defineUpdate<{ turn: number }>('handOver');

const store = proxyActivities<
  ReturnType<typeof createTranscriptActivities> &
    ReturnType<typeof createProblemActivities> &
    ReturnType<typeof createPersonActivities> &
    Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>
>(STORE);

/** Turns that the `transcript` query answers with. */
const RECENT = 20;

/** How the agent's part ended, and what is worth saying about it. */
interface Ending {
  readonly status: ExitStatus;
  readonly detail?: string;
}

class Rollout {
  /** All that the next run goes on with. */
  private readonly state: RolloutCarry;
  private readonly phase = new Phase('Starting', () => this.show());
  private readonly steering: Steering;
  private readonly person: PersonsTurn;
  private readonly profiles: Partial<Record<Author, string>>;
  private readonly info = workflowInfo();
  private readonly owner = { workflowId: this.info.workflowId, firstRunId: this.info.firstExecutionRunId };
  private readonly queues = queuesUnder(this.info.taskQueue);
  private problem: Pick<LoadedProblem, 'id' | 'ref' | 'needs' | 'judgedThere' | 'parts' | 'over' | 'services'> = {
    id: '',
    ref: { sha256: '', bytes: 0 },
  };
  /** Where each profile is asked, and how long it may take. */
  private checked: CheckedProfiles = { ownQueue: [] };
  /** No part is begun any more, and the one behind the last verdict was not. */
  private stopped = false;
  /** Malformed replies to the turn that is being made. */
  private rejected: { readonly blob: string; readonly code: FormatErrorCode; readonly author: Author }[] = [];
  private recent: RecentTurn[] = [];

  constructor(private readonly input: RolloutInput) {
    this.profiles = profilesOf(input);
    this.state = input.carry ?? beginRollout(input);
    this.steering = new Steering(this.state, this.phase);
    this.person = new PersonsTurn(this.steering, () => this.show());
    setHandler(progressQuery, () => progressOf(this.state, this.phase, this.person.awaiting), {
      description: 'Where the run is and what it has used.',
    });
    setHandler(transcriptQuery, () => ({ head: this.state.head, recent: this.recent }), {
      description: 'Head of the chain and the last turns.',
    });
  }

  async run(): Promise<RolloutResult> {
    this.listen();
    await this.open();
    const { state, steering, owner, queues, problem, input } = this;
    const profile = withNeeds(input.sandbox, problem.needs);
    const sandbox = new RolloutSandbox({ owner, queues, problem, profile }, state, steering);
    if (input.imported) return this.takeOver(input.imported, sandbox);
    try {
      await sandbox.claim(await this.firstHead());
      const ended = await this.turns(sandbox);
      const patch = await sandbox.keepWork();
      const there = await this.judgeThere(sandbox, patch);
      const ending: Ending = sandbox.tampered ? { status: 'tampered', detail: sandbox.trouble } : ended;
      // The work is a patch by now: its sandbox goes while the verdict begins, and makes room for the judge's.
      const gone = sandbox.release();
      if (!patched('removed beside the verdict')) await gone;
      const [result] = await Promise.all([
        this.conclude(sandbox, ending, there === undefined ? patch : null, there),
        gone,
      ]);
      return result;
    } catch (error) {
      if (isCancellation(error)) await CancellationScope.nonCancellable(() => this.keepCancelled(sandbox));
      throw error;
    } finally {
      this.person.refused('the rollout has ended');
      await sandbox.release();
    }
  }

  /** Models and problem, and on the first run the drawn switch index. */
  private async open(): Promise<void> {
    const { input, state, profiles } = this;
    const capUsd = input.limits.costUsd ?? input.budget?.capUsd;
    if (!input.imported) {
      this.checked = await store.checkProfiles.executeWithOptions(
        { summary: `models: ${Object.values(profiles).join(', ')}` },
        [{ profiles: Object.values(profiles), capUsd, persons: true, endpoints: this.endpoints() }],
      );
    }
    this.problem = await store.loadProblem.executeWithOptions({ summary: nameOf(input.problem) }, [
      { problem: input.problem },
    ]);
    if (this.problem.parts && input.fork) refuse('rollout: fork: a problem of several parts begins with its first');
    if (input.carry) return;
    const drawn = drawSwitch(input.handOver, input.seed, this.problem.id, input.attempt);
    state.draw = { ...drawn, forcedAt: state.draw.forcedAt };
    upsertMemo({ problem: this.problem.id, switchIndex: drawn.studentTurns, handOver: input.handOver });
    publish({
      InstanceId: this.problem.id,
      Student: profiles.student,
      Expert: profiles.expert,
      SwitchIndex: drawn.studentTurns ?? undefined,
    });
  }

  /** Opens the chain: empty, or with the steps that a fork keeps. Gives how many those are. */
  private async firstHead(): Promise<number> {
    const { state } = this;
    const { fork } = this.input;
    const problem = this.problem.ref;
    if (state.head) return 0;
    if (!fork) {
      const { head } = await store.openTranscript.executeWithOptions({ summary: 'an empty chain' }, [{ problem }]);
      state.head = head;
      return 0;
    }
    const summary = `${fork.step} steps of ${fork.run}`.slice(0, 120);
    const prefix = await store.forkTranscript.executeWithOptions({ summary }, [{ fork, problem }]);
    state.head = prefix.head;
    state.spent.steps = prefix.steps;
    return prefix.steps;
  }

  /** What an agent elsewhere did behind the kept steps becomes the expert's part, and is judged like any other. */
  private async takeOver(work: ImportedWork, sandbox: RolloutSandbox): Promise<RolloutResult> {
    const { state, profiles } = this;
    if (state.draw.studentTurns !== this.input.fork?.step || !profiles.expert)
      refuse('rollout: imported: needs fork, an expert, and handOver.at of the steps that are kept');
    const kept = await this.firstHead();
    const added = await store.appendImported.executeWithOptions({ summary: `turns of ${work.agent}`.slice(0, 120) }, [
      { head: state.head, profile: profiles.expert, work },
    ]);
    state.head = added.head;
    state.spent.steps = kept + added.steps;
    state.spent.tokens = added.tokens;
    state.authorTurns = { student: kept, expert: added.steps };
    state.lastAuthor = 'expert';
    state.expertFrom = kept + 1;
    sandbox.patch = work.patch;
    return this.conclude(sandbox, { status: 'submitted' }, work.patch);
  }

  /** Algorithm 1: for each step, the author of the turn acts on the history in its own format, and the sandbox answers. */
  private async turns(sandbox: RolloutSandbox): Promise<Ending> {
    const { state, steering, input } = this;
    for (;;) {
      await steering.whilePaused();
      if (steering.abandoned) return { status: 'cancelled', detail: 'abandoned by a person' };
      const reached = limitReached(state.limits, clock(state, this.idleMs));
      if (reached === 'format_exhausted') {
        if (this.takenOver(reached)) continue;
        return { status: reached, detail: this.whyUnread() };
      }
      if (reached) return { status: reached };
      // Not between a malformed reply and its retry: the next run would not know of it.
      if (workflowInfo().continueAsNewSuggested && this.rejected.length === 0) {
        await this.person.settled();
        await this.carryOn(sandbox);
      }

      const turn = state.spent.steps + 1;
      const author = authorAt(input.handOver, state.draw, turn);
      if (author !== state.lastAuthor) this.handTo(author, turn);

      const reply = await this.act(author, turn, sandbox);
      if (reply === undefined) continue;
      if ('status' in reply) {
        if (this.takenOver(reply.status)) continue;
        return reply;
      }
      if (!reply.ok) {
        this.rejected.push({ blob: reply.rejected, code: reply.code, author });
        continue;
      }
      const seen = reply.seen ?? (await sandbox.run(turn, reply));
      if (seen === 'sandbox_lost' || seen === 'tampered') return { status: seen, detail: sandbox.trouble };
      take(state, author, turn, seen);
      const { exitCode, timedOut, submitted, head, preview } = seen;
      this.person.acted({ turn, exitCode, timedOut, submitted, head, preview });
      this.rejected = [];
      this.recent.push({ turn, author, action: reply.action, exitCode: seen.exitCode, step: seen.head });
      if (this.recent.length > RECENT) this.recent.shift();
      this.show();
      if (turn % 10 === 0) publish({ Step: turn, CostUsd: state.spent.costUsd });
      if (seen.submitted && !(await this.nextPart(sandbox))) return { status: 'submitted' };
      await sandbox.checkpointAfter(turn);
    }
  }

  /** Judges the part that was submitted and begins the next. False where there is none, or too little was reached for it. */
  private async nextPart(sandbox: RolloutSandbox): Promise<boolean> {
    const { parts } = this.problem;
    const { state } = this;
    const at = state.parts?.length ?? 0;
    if (!parts || at + 1 >= parts.length) return false;
    this.phase.enter('Grading', { Step: state.spent.steps });
    const verdict = await sandbox.judge(parts[at]!.seconds);
    if (verdict === null) return false;
    state.parts = [...(state.parts ?? []), verdict];
    this.stopped = whyStopped(verdict.rewards, parts[at]!.least) !== undefined || !(await sandbox.openNext());
    // Whoever acts next enters its phase again.
    if (!this.stopped) state.lastAuthor = null;
    return !this.stopped;
  }

  /** The action of a model or a person, a malformed reply, or what ends the run; undefined where it is to be looked at again. */
  private async act(author: Author, turn: number, sandbox: RolloutSandbox): Promise<TakenTurn | Ending | undefined> {
    const { state, steering } = this;
    const { budget } = this.input;
    const endpoint = this.input.endpoints?.[author];
    const rejected = this.rejected.map(({ blob }) => blob);
    const profile = this.profileOf(author);
    if (this.isPerson(profile)) return this.actOfPerson({ author, profile, turn, rejected });
    const queue = modelQueue(this.queues, this.checked, profile);
    const retries = this.rejected.filter((each) => each.author === author).length;
    const retry = retries > 0 ? ` · retry ${retries}` : '';
    const { callModel, takeTurn } = turnActivities(queue);
    const call = { run: this.owner.firstRunId, head: state.head, author, profile, endpoint, turn, rejected, budget };
    const options = { summary: `turn ${turn} · ${author} ${profile}${retry}` };
    for (;;) {
      const since = Date.now();
      const on = queue.own ? undefined : sandbox.here;
      try {
        const reply: TakenTurn = on
          ? await takeTurn.executeWithOptions(options, [{ ...call, on }])
          : await callModel.executeWithOptions(options, [call]);
        spend(state, reply, Date.now() - since - (reply.actedMs ?? 0));
        return reply;
      } catch (error) {
        if (isCancellation(error)) throw error;
        const detail = messageOf(error);
        const status = MODEL_ENDINGS[codeOf(error) ?? ''];
        if (status) return { status, detail };
        await steering.park(`the model ${profile} cannot be called: ${detail}`);
        if (steering.abandoned) return { status: 'cancelled', detail };
      }
    }
  }

  /** What a person does in a model's place. The time until then is waiting, as it is for a model that has no place. */
  private async actOfPerson(by: {
    readonly author: Author;
    readonly profile: string;
    readonly turn: number;
    readonly rejected: readonly string[];
  }): Promise<TakenTurn | undefined> {
    const { state, steering, person } = this;
    const { author, profile, turn } = by;
    const since = Date.now();
    const act = await person.acts({ author, profile, turn });
    state.spent.modelWaitSeconds += (Date.now() - since) / 1000;
    if (!act) return undefined;
    try {
      const summary = `turn ${turn} · ${author} ${profile} · ${act.by}`;
      const reply = await store.recordPersonTurn.executeWithOptions({ summary }, [{ ...by, act }]);
      spend(state, reply, reply.latencyMs);
      return reply;
    } catch (error) {
      if (isCancellation(error)) throw error;
      person.refused(messageOf(error));
      if (codeOf(error) !== 'InvalidInput') await steering.park(`turn ${turn} cannot be kept: ${messageOf(error)}`);
      return undefined;
    }
  }

  private profileOf(author: Author): string {
    return this.profiles[author] ?? refuse(`rollout: ${author}: a profile name is needed (found nothing)`);
  }

  /** Where its profiles are asked instead of where they say; undefined for most runs. */
  private endpoints(): { profile: string; endpoint: Endpoint }[] | undefined {
    const named = Object.entries(this.input.endpoints ?? {}) as [Author, Endpoint | undefined][];
    if (named.length === 0) return undefined;
    return named.flatMap(([author, endpoint]) => (endpoint ? [{ profile: this.profileOf(author), endpoint }] : []));
  }

  private isPerson(profile: string): boolean {
    return this.checked.persons?.includes(profile) ?? false;
  }

  /** A person may steer a run that has not begun. */
  private listen(): void {
    this.steering.listen();
    this.person.listen();
    onSetBudget((budget) => {
      this.person.stir();
      return Object.assign(this.state.limits, budget);
    });
    setHandler(handOverUpdate, () => this.handOver(), {
      description: 'The expert makes the next turn and all after it.',
      validator: () => (this.input.expert ? undefined : refuse('handOver: this rollout has no expert profile')),
    });
  }

  /** A person's wish: the expert goes on from the next turn. */
  private handOver(): { turn: number } {
    const turn = this.state.spent.steps + 1;
    this.state.draw = handOverAt(this.state.draw, turn, 'person');
    this.person.stir();
    return { turn };
  }

  /** Whether the policy has the expert go on where the student ended so; then it is the expert's turn. */
  private takenOver(ending: ExitStatus): boolean {
    const { state, input } = this;
    if (!takesOver(input.handOver, state.lastAuthor ?? 'student', ending)) return false;
    state.draw = handOverAt(state.draw, state.spent.steps + 1, ending);
    state.spent.consecutiveFormatErrors = 0;
    return true;
  }

  private whyUnread(): string {
    return whyUnread(this.rejected.filter(({ author }) => author === this.state.lastAuthor).map(({ code }) => code));
  }

  private handTo(author: Author, turn: number): void {
    this.state.lastAuthor = author;
    if (author === 'expert') this.state.expertFrom ??= turn;
    const acting = author === 'expert' ? 'Expert' : 'Student';
    const phase = this.isPerson(this.profileOf(author)) ? 'AwaitingPerson' : acting;
    this.phase.enter(phase, { Step: this.state.spent.steps });
  }

  private async carryOn(sandbox: RolloutSandbox): Promise<never> {
    sandbox.leave();
    this.state.idleMs = this.idleMs;
    return continueAsNew<typeof rollout>({ ...this.input, fork: undefined, carry: this.state });
  }

  /** For problems whose tests judge the agent's own sandbox: their verdict, or null for none. Undefined for all others. */
  private async judgeThere(sandbox: RolloutSandbox, patch: Ref | null): Promise<RolloutResult['grade'] | undefined> {
    const { judgedThere } = this.problem;
    if (judgedThere === undefined) return undefined;
    if (!this.input.grade || patch === null) return null;
    const { parts, over = 'mean' } = this.problem;
    const done = this.state.parts ?? [];
    if (parts && this.stopped) return verdictOver(done, parts.length, over);
    this.phase.enter('Grading', { Step: this.state.spent.steps });
    const verdict = await sandbox.judge(parts?.[done.length]?.seconds ?? judgedThere);
    return parts && verdict ? verdictOver([...done, verdict], parts.length, over) : verdict;
  }

  /** `there`: the verdict, where it was come to already. */
  private async conclude(
    sandbox: RolloutSandbox,
    ending: Ending,
    patch: Ref | null,
    there: RolloutResult['grade'] = null,
  ): Promise<RolloutResult> {
    const { state } = this;
    const judged = this.input.grade && patch ? await this.judge(patch) : { grade: there };
    const result = this.resultOf(sandbox, { ...ending, ...judged });
    const { status, resolved } = result;
    this.phase.enter('Done', {
      Outcome: status,
      Step: state.spent.steps,
      CostUsd: state.spent.costUsd,
      Resolved: resolved ?? undefined,
    });
    this.show(resolved === null ? status : `${status}, ${resolved ? 'resolved' : 'not resolved'}`);
    return result;
  }

  /** No verdict is no result: what keeps the tests from running is waited out, or the run is abandoned ungraded. */
  private async judge(patch: Ref): Promise<{ grade: RolloutResult['grade']; detail?: string }> {
    const { steering, input, problem } = this;
    this.phase.enter('Grading', { Step: this.state.spent.steps });
    let detail: string | undefined;
    while (!steering.abandoned) {
      try {
        const graded = await executeChild(grade, {
          args: [{ problem: input.problem, patch, controls: 'sample' }],
          workflowId: `${this.owner.workflowId}/grade`,
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
          staticSummary: `grade ${problem.id}`,
        });
        return { grade: graded };
      } catch (error) {
        if (isCancellation(error)) throw error;
        detail = `not graded: ${messageOf(error)}`;
        await steering.park(detail);
      }
    }
    return detail === undefined ? { grade: null } : { grade: null, detail };
  }

  /** A cancelled run fails for its caller, so its result is kept in the memo. */
  private async keepCancelled(sandbox: RolloutSandbox): Promise<void> {
    const { spent } = this.state;
    await sandbox.keepWork();
    upsertMemo({ result: this.resultOf(sandbox, { status: 'cancelled', grade: null }) });
    publish({ Phase: 'Done', Outcome: 'cancelled', Step: spent.steps, CostUsd: spent.costUsd });
  }

  private resultOf(
    { patch, workspace }: RolloutSandbox,
    { status, detail, grade: graded }: Ending & { grade: RolloutResult['grade'] },
  ): RolloutResult {
    const { state } = this;
    const { spent } = state;
    return {
      id: this.owner.workflowId,
      status,
      resolved: graded?.resolved ?? null,
      handOver: handOverOf(state),
      turns: { total: spent.steps, ...state.authorTurns, formatRetries: state.formatRetries },
      ...(Object.keys(state.lenient).length > 0 ? { lenient: state.lenient } : {}),
      ...(this.rejected.length > 0 ? { refused: this.rejected.map(({ blob }) => blob) } : {}),
      cost: { usd: Math.round(spent.costUsd * 1e6) / 1e6, tokens: spent.tokens },
      head: state.head,
      patch,
      workspace,
      grade: graded,
      recovered: { sandboxes: state.recoveries, redoneSteps: state.redone },
      detail,
    };
  }

  /** Paused and parked milliseconds of all runs of this workflow so far. */
  private get idleMs(): number {
    return (this.input.carry?.idleMs ?? 0) + this.steering.idleMs;
  }

  private show(outcome?: string): void {
    const { state, phase, recent, problem, person } = this;
    const { awaiting } = person;
    setCurrentDetails(describeRollout(state, { problem: problem.id, phase, recent, outcome, awaiting }));
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
  const profiles: Partial<Record<Author, string>> = {};
  if (input.student) profiles.student = input.student;
  if (input.expert) profiles.expert = input.expert;
  return profiles;
}
