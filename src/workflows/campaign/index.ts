import {
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineQuery,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { Ending } from '../../activities/campaign/endings';
import {
  type CampaignCarry,
  CampaignInput,
  type CampaignProgress,
  type CampaignResult,
  type CampaignStatus,
  type Method,
  type PlannedRollout,
  type Ref,
  type SkipReason,
} from '../../contract';
import { missingAuthor } from '../../rollout/handover';
import { FIRST_LEVEL, keptSteps, levelAfter, type PrefixLevel } from '../../rollout/teacher-prefix';
import { publish } from '../durable/attributes';
import { isCancellation } from '../durable/failures';
import { checked, refuse } from '../durable/input';
import { Phase } from '../durable/phase';
import { type Rest, SlidingWindow } from '../durable/sliding-window';
import { Steering } from '../durable/steering';
import { campaignStore } from './activities';
import { CampaignEndings } from './endings';
import { holdOf, paced, spentToday } from './gate';
import { attached, rolloutOf } from './rollout';
import { type BegunRollout, campaignDetails, countIn, emptyState, endedOf, pairOf } from './state';
import { steerCampaign } from './steering';

/** Rollouts of the plan that are fetched together. */
const PAGE = 50;
/** Search attributes are an event each: they follow so many endings. */
const PUBLISHED_EVERY = 20;

const progressQuery = defineQuery<CampaignProgress>('progress');

/**
 * Instances × methods × passes of rollouts (OEC, section 4), many at once. Each rollout is a child with an id of its own
 * that outlives this run of the campaign: continue-as-new does not wait for the slowest, and a campaign that is started
 * again with the same id takes what there is. One that fails is a row, never an end.
 */
export async function campaign(raw: CampaignInput): Promise<CampaignResult> {
  return new Campaign(checked(CampaignInput, raw, 'campaign')).run();
}

class Campaign {
  /** All that the next run goes on with. */
  private readonly state: CampaignCarry;
  private readonly phase = new Phase('Starting', () => this.show());
  private readonly steering: Steering;
  private readonly window: SlidingWindow;
  private readonly endings: CampaignEndings;
  private readonly id = workflowInfo().workflowId;
  private readonly plan;
  private readonly perInstance: number;
  private readonly inFlight: Map<string, BegunRollout>;
  private readonly resolvedOf = new Map<string, number>();
  /** Where instances stand, of methods with a teacher prefix. */
  private readonly prefixes = new Map<string, PrefixLevel>();
  private readonly pages = new Map<number, Promise<PlannedRollout[]>>();
  private recent: Ending[] = [];
  /** Units that the server does not know of yet. */
  private readonly starting = new Set<number>();
  /** What is handed to the next run is being put together: nothing is counted meanwhile. */
  private frozen = false;

  constructor(private readonly input: CampaignInput) {
    const { methods, passes, order, seed, limits, sandbox } = input;
    checkMethods(methods);
    this.plan = { campaign: this.id, methods, passes, order, seed, limits, sandbox };
    this.perInstance = methods.reduce((sum, method) => sum + (method.passes ?? passes), 0);
    this.state = input.carry ?? emptyState(input);
    this.inFlight = new Map(this.state.inFlight.map((each) => [each.id, each]));
    this.steering = new Steering(this.state.window, this.phase);
    this.window = new SlidingWindow(this.state.window, this.steering, {
      hold: () => holdOf(this.state, Date.now()),
      leaves: true,
    });
    this.endings = new CampaignEndings(methods, (page) => void this.state.pages.push(page));
    setHandler(progressQuery, () => this.progress(), {
      description: 'Where the campaign is, what is in flight and what it has used.',
    });
  }

  async run(): Promise<CampaignResult> {
    const { state, window, inFlight, endings, input } = this;
    // A person may steer a campaign that has not begun.
    this.steering.listen();
    steerCampaign(state, () => this.show());
    state.set ??= await this.open();
    const { instances, count } = state.set;
    const planned = count * this.perInstance;
    // What is in flight must hear of a cancellation: nothing may end this run before it is attached.
    const { resolvedOf } = state;
    if (resolvedOf) await CancellationScope.nonCancellable(() => this.recall(resolvedOf));
    const { prefixes } = state;
    if (prefixes) await CancellationScope.nonCancellable(() => this.recallPrefixes(prefixes));
    if (!input.carry) {
      upsertMemo({ instances: count, planned, methods: input.methods.map(({ name }) => name) });
      this.phase.enter('Rolling out', { Step: 0, CostUsd: 0 });
    } else this.phase.name = 'Rolling out';

    try {
      for (const begun of inFlight.values()) window.join(this.settle(begun, attached(begun, endings)));
      const rest = await window.run(planned, (at) => this.unit(at, instances));
      if (rest !== 'full') return await this.conclude(STATUS[rest], instances, planned);
      const carry = await this.handedOver();
      // The problems are blobs by now, and what was given may be long.
      const brief = { ...input, problems: instances, only: [] };
      if (!this.steering.abandoned) return await continueAsNew<typeof campaign>({ ...brief, carry });
      this.frozen = false;
      await window.settled();
      return await this.conclude('abandoned', instances, planned);
    } catch (error) {
      if (!isCancellation(error)) throw error;
      this.frozen = false;
      await window.settled();
      await CancellationScope.nonCancellable(async () =>
        upsertMemo({ result: await this.conclude('cancelled', instances, planned) }),
      );
      throw error;
    }
  }

  /** Everything that can be wrong with the input is found here, before anything is started. */
  private async open(): Promise<NonNullable<CampaignCarry['set']>> {
    const { methods, limits, budget, problems, only, passRates } = this.input;
    const profiles = profilesIn(methods);
    const capUsd = limits.costUsd ?? budget.totalUsd ?? budget.dailyUsd;
    await campaignStore.checkProfiles.executeWithOptions({ summary: `models: ${profiles.join(', ')}`.slice(0, 120) }, [
      { profiles, capUsd, persons: true },
    ]);
    return campaignStore.openCampaign.executeWithOptions({ summary: 'problems, each checked' }, [
      { problems, only, methods, passRates },
    ]);
  }

  /** One rollout of the plan. */
  private async unit(at: number, instances: Ref): Promise<void> {
    this.starting.add(at);
    try {
      await this.rollOut(at, instances);
    } finally {
      this.starting.delete(at);
    }
  }

  private async rollOut(at: number, instances: Ref): Promise<void> {
    const { state, input, endings } = this;
    paced(state, Date.now());
    const next = await CancellationScope.nonCancellable(() => this.plannedAt(at, instances));
    const method = input.methods.find(({ name }) => name === next.method)!;
    const kept = this.keptFor(next, method);
    const begun = { ...next, startedAt: Date.now(), ...(kept === undefined ? {} : { kept }) };
    if ((this.resolvedOf.get(pairOf(next)) ?? 0) >= (input.resolvedPerInstance ?? Number.POSITIVE_INFINITY))
      return this.settle(begun, endings.of({ ...next, skipped: 'instance_cap' }));
    this.inFlight.set(next.id, begun);
    this.show();
    const { totalUsd } = state.budget;
    const budget = totalUsd === undefined ? undefined : { name: `campaign ${this.id}`, capUsd: totalUsd };
    const started = () => void this.starting.delete(at);
    return this.settle(begun, rolloutOf({ planned: begun, method, campaign: input, budget, endings, started }));
  }

  /** Counts one that has ended. While the run is handed over nothing is counted: the next run does. */
  private async settle(begun: BegunRollout, end: Promise<Ending>): Promise<void> {
    const { state, resolvedOf } = this;
    const ending = await end;
    await CancellationScope.nonCancellable(() => condition(() => !this.frozen));
    this.inFlight.delete(begun.id);
    countIn(state, begun, ending, Date.now());
    if (ending.resolved && this.input.resolvedPerInstance !== undefined)
      resolvedOf.set(pairOf(begun), (resolvedOf.get(pairOf(begun)) ?? 0) + 1);
    if (ending.outcome === 'finished' && ending.resolved !== null) this.learn(begun, ending.resolved);
    this.recent = [...this.recent, ending].slice(-8);
    if (endedOf(state) % PUBLISHED_EVERY === 0) publish({ Step: endedOf(state), CostUsd: state.cost.usd });
    this.show();
  }

  /** Steps of the teacher's before the student's; undefined for methods without a teacher prefix. */
  private keptFor(next: PlannedRollout, { teacherPrefix }: Method): number | undefined {
    if (!teacherPrefix || !next.teacher) return undefined;
    const { level } = this.prefixes.get(pairOf(next)) ?? FIRST_LEVEL;
    return keptSteps(next.teacher.steps, level, teacherPrefix);
  }

  /** Counts an outcome for its instance's level, if that is still the one that it was begun at. */
  private learn(begun: BegunRollout, resolved: boolean): void {
    const { teacherPrefix } = this.input.methods.find(({ name }) => name === begun.method) ?? {};
    if (!teacherPrefix || !begun.teacher) return;
    const before = this.prefixes.get(pairOf(begun)) ?? FIRST_LEVEL;
    if (begun.kept !== keptSteps(begun.teacher.steps, before.level, teacherPrefix)) return;
    this.prefixes.set(pairOf(begun), levelAfter(before, resolved, teacherPrefix));
  }

  /** The plan comes a page at a time, and what is past is forgotten. */
  private async plannedAt(at: number, instances: Ref): Promise<PlannedRollout> {
    const { pages, plan } = this;
    const from = Math.floor(at / PAGE) * PAGE;
    const known =
      pages.get(from) ??
      campaignStore.planRollouts.executeWithOptions({ summary: `rollouts from ${from + 1}` }, [
        { plan, instances, from, count: PAGE },
      ]);
    pages.set(from, known);
    for (const old of pages.keys()) if (old < from - PAGE) pages.delete(old);
    return (await known)[at - from]!;
  }

  /** What the next run goes on with. Rollouts in flight stay as they are; the next run waits for them. */
  private async handedOver(): Promise<CampaignCarry> {
    const carry = await CancellationScope.nonCancellable(async () => {
      await condition(() => this.starting.size === 0);
      this.frozen = true;
      return this.bind();
    });
    // A cancellation that came meanwhile would be lost with this run.
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled while it went on');
    return carry;
  }

  private async bind(): Promise<CampaignCarry> {
    const { state, resolvedOf } = this;
    const pages = state.pages.splice(0);
    const summary = `${pages.length} pages as one`;
    if (pages.length > 0)
      state.pages.unshift(await campaignStore.bindPages.executeWithOptions({ summary }, [{ pages }]));
    if (resolvedOf.size > 0)
      state.resolvedOf = await campaignStore.keepResolved({ resolved: Object.fromEntries(resolvedOf) });
    if (this.prefixes.size > 0)
      state.prefixes = await campaignStore.keepPrefixes({ prefixes: Object.fromEntries(this.prefixes) });
    return { ...state, inFlight: [...this.inFlight.values()] };
  }

  private async recall(resolved: Ref): Promise<void> {
    const known = await campaignStore.readResolved({ resolved });
    for (const [pair, n] of Object.entries(known)) this.resolvedOf.set(pair, n);
  }

  private async recallPrefixes(prefixes: Ref): Promise<void> {
    const known = await campaignStore.readPrefixes({ prefixes });
    for (const [pair, level] of Object.entries(known)) this.prefixes.set(pair, level);
  }

  private async conclude(status: CampaignStatus, instances: Ref, planned: number): Promise<CampaignResult> {
    const { state, plan, input } = this;
    const { next } = state.window;
    const rest = next < planned && status !== 'complete' ? { from: next, reason: SKIPPED[status] } : null;
    const { rollouts, funnels, skipped } = await campaignStore.concludeCampaign.executeWithOptions(
      { summary: 'rows and funnels' },
      [{ plan, instances, pages: state.pages, rest }],
    );
    state.counts.skipped += skipped;
    const { counts, cost, set } = state;
    this.phase.waiting = undefined;
    this.phase.enter('Done', { Outcome: status, Step: endedOf(state), CostUsd: cost.usd });
    const result = {
      id: this.id,
      status,
      instances: set?.count ?? 0,
      planned,
      counts,
      funnels,
      rollouts,
      cost,
    };
    setCurrentDetails(campaignDetails({ input, progress: this.progress(), recent: this.recent, result }));
    return result;
  }

  private show(): void {
    const { input, recent } = this;
    setCurrentDetails(campaignDetails({ input, progress: this.progress(), recent }));
  }

  private progress(): CampaignProgress {
    const { state, phase } = this;
    return {
      phase: phase.name,
      planned: (state.set?.count ?? 0) * this.perInstance,
      begun: state.window.next,
      counts: state.counts,
      inFlight: [...this.inFlight.values()].map(({ id, instance, method, pass, startedAt }) => {
        return { id, instance, method, pass, startedAt };
      }),
      concurrency: state.window.concurrency,
      startsPerMinute: state.startsPerMinute,
      budget: state.budget,
      cost: state.cost,
      todayUsd: spentToday(state, Date.now()),
      paused: state.window.paused,
      waiting: phase.reason,
      pages: state.pages,
    };
  }
}

const STATUS: Readonly<Record<Exclude<Rest, 'full'>, CampaignStatus>> = {
  done: 'complete',
  stopped: 'budget_exhausted',
  abandoned: 'abandoned',
};

/** Why what is left of the plan never ran. */
const SKIPPED: Readonly<Record<Exclude<CampaignStatus, 'complete'>, SkipReason>> = {
  budget_exhausted: 'budget_exhausted',
  abandoned: 'abandoned',
  cancelled: 'cancelled',
};

/** Refuses a method whose policy names an author that it has no profile for, as each of its rollouts would. */
function checkMethods(methods: readonly Method[]): void {
  for (const [at, method] of methods.entries()) {
    const missing = missingAuthor(method.handOver, method);
    const where = `campaign: methods.${at}`;
    if (missing) refuse(`${where}.${missing.author}: a profile name is needed (found nothing)`, missing.hint);
  }
}

/** Every profile of the campaign, once. */
function profilesIn(methods: readonly Method[]): string[] {
  const named = methods.flatMap(({ student, expert }) => [student, expert]);
  return [...new Set(named.filter((name) => name !== undefined))];
}
