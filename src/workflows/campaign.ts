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
import type { Ending } from '../activities/campaign-endings';
import {
  type CampaignCarry,
  CampaignInput,
  type CampaignProgress,
  type CampaignResult,
  type CampaignStatus,
  type PlannedRollout,
  type SkipReason,
} from '../contract';
import { publish } from './durable/attributes';
import { campaignStore } from './durable/campaign-activities';
import { campaignDetails } from './durable/campaign-details';
import { CampaignEndings } from './durable/campaign-endings';
import { holdOf, paced, spentToday } from './durable/campaign-gate';
import { checkMethods, profilesIn } from './durable/campaign-methods';
import { attached, rolloutOf } from './durable/campaign-rollout';
import { type BegunRollout, countIn, emptyState, endedOf, pairOf } from './durable/campaign-state';
import { steerCampaign } from './durable/campaign-steering';
import { isCancellation } from './durable/failures';
import { checked } from './durable/input';
import { type Rest, SlidingWindow } from './durable/sliding-window';

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
  const input = checked(CampaignInput, raw, 'campaign');
  checkMethods(input.methods);
  const { workflowId } = workflowInfo();
  const { methods, passes, order, seed, limits, sandbox } = input;
  const plan = { campaign: workflowId, methods, passes, order, seed, limits, sandbox };
  const perInstance = methods.reduce((sum, method) => sum + (method.passes ?? passes), 0);
  const state = input.carry ?? emptyState(input);
  const inFlight = new Map<string, BegunRollout>(state.inFlight.map((each) => [each.id, each]));
  const resolvedOf = new Map<string, number>();
  const pages = new Map<number, Promise<PlannedRollout[]>>();
  let phase = 'Starting';
  let waiting: string | undefined;
  let recent: Ending[] = [];
  /** Units that the server does not know of yet. */
  const starting = new Set<number>();
  /** What is handed to the next run is being put together: nothing is counted meanwhile. */
  let frozen = false;

  const window = new SlidingWindow(
    state.window,
    (reason) => {
      waiting = reason;
      publish({ Phase: reason === undefined ? phase : reason === 'paused' ? 'Paused' : 'Waiting' });
      show();
    },
    { hold: () => holdOf(state, Date.now()), leaves: true },
  );
  const endings = new CampaignEndings(methods, (page) => void state.pages.push(page));
  setHandler(progressQuery, progress, {
    description: 'Where the campaign is, what is in flight and what it has used.',
  });
  steerCampaign(state, show);

  // Handlers stand from here on: a person may steer a campaign that has not begun.
  state.set ??= await opened();
  const { instances, count } = state.set;
  const planned = count * perInstance;
  // What is in flight must hear of a cancellation: nothing may end this run before it is attached.
  if (state.resolvedOf) await CancellationScope.nonCancellable(recalled);
  phase = 'Rolling out';
  if (!input.carry) {
    publish({ Phase: phase, Step: 0, CostUsd: 0 });
    upsertMemo({ instances: count, planned, methods: methods.map(({ name }) => name) });
  }
  show();

  try {
    for (const begun of inFlight.values()) window.join(settled(begun, attached(begun, endings)));
    const rest = await window.run(planned, unit);
    if (rest !== 'full') return await conclude(STATUS[rest]);
    const carry = await handedOver();
    // The problems are blobs by now, and what was given may be long.
    const brief = { ...input, problems: instances, only: [] };
    if (!window.abandoned) return await continueAsNew<typeof campaign>({ ...brief, carry });
    frozen = false;
    await window.settled();
    return await conclude('abandoned');
  } catch (error) {
    if (!isCancellation(error)) throw error;
    frozen = false;
    await window.settled();
    await CancellationScope.nonCancellable(async () => upsertMemo({ result: await conclude('cancelled') }));
    throw error;
  }

  /** Everything that can be wrong with the input is found here, before anything is started. */
  async function opened(): Promise<NonNullable<CampaignCarry['set']>> {
    const profiles = profilesIn(methods);
    const capUsd = limits.costUsd ?? input.budget.totalUsd ?? input.budget.dailyUsd;
    await campaignStore.checkProfiles.executeWithOptions({ summary: `models: ${profiles.join(', ')}`.slice(0, 120) }, [
      { profiles, ...(capUsd === undefined ? {} : { capUsd }) },
    ]);
    return campaignStore.openCampaign.executeWithOptions({ summary: 'problems, each checked' }, [
      { problems: input.problems, only: input.only, methods },
    ]);
  }

  /** One rollout of the plan. */
  async function unit(at: number): Promise<void> {
    starting.add(at);
    try {
      await rolledOut(at);
    } finally {
      starting.delete(at);
    }
  }

  async function rolledOut(at: number): Promise<void> {
    paced(state, Date.now());
    const next = await CancellationScope.nonCancellable(() => plannedAt(at));
    const method = methods.find(({ name }) => name === next.method)!;
    const begun = { ...next, startedAt: Date.now() };
    if ((resolvedOf.get(pairOf(next)) ?? 0) >= (input.resolvedPerInstance ?? Number.POSITIVE_INFINITY))
      return settled(begun, endings.of({ ...next, skipped: 'instance_cap' }));
    inFlight.set(next.id, begun);
    show();
    const { totalUsd } = state.budget;
    const budget = totalUsd === undefined ? undefined : { name: `campaign ${workflowId}`, capUsd: totalUsd };
    const started = () => void starting.delete(at);
    return settled(begun, rolloutOf(next, method, input, budget, endings, started));
  }

  /** Counts one that has ended. While the run is handed over nothing is counted: the next run does. */
  async function settled(begun: BegunRollout, end: Promise<Ending>): Promise<void> {
    const ending = await end;
    await CancellationScope.nonCancellable(() => condition(() => !frozen));
    inFlight.delete(begun.id);
    countIn(state, begun, ending, Date.now());
    if (ending.resolved && input.resolvedPerInstance !== undefined)
      resolvedOf.set(pairOf(begun), (resolvedOf.get(pairOf(begun)) ?? 0) + 1);
    recent = [...recent, ending].slice(-8);
    if (endedOf(state) % PUBLISHED_EVERY === 0) publish({ Step: endedOf(state), CostUsd: state.cost.usd });
    show();
  }

  /** The plan comes a page at a time, and what is past is forgotten. */
  async function plannedAt(at: number): Promise<PlannedRollout> {
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
  async function handedOver(): Promise<CampaignCarry> {
    const carry = await CancellationScope.nonCancellable(async () => {
      await condition(() => starting.size === 0);
      frozen = true;
      return bound();
    });
    // A cancellation that came meanwhile would be lost with this run.
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled while it went on');
    return carry;
  }

  async function bound(): Promise<CampaignCarry> {
    const written = state.pages.splice(0);
    if (written.length > 0)
      state.pages.unshift(
        await campaignStore.bindPages.executeWithOptions({ summary: `${written.length} pages as one` }, [
          { pages: written },
        ]),
      );
    if (resolvedOf.size > 0)
      state.resolvedOf = await campaignStore.keepResolved({ resolved: Object.fromEntries(resolvedOf) });
    return { ...state, inFlight: [...inFlight.values()] };
  }

  async function recalled(): Promise<void> {
    const known = await campaignStore.readResolved({ resolved: state.resolvedOf! });
    for (const [pair, n] of Object.entries(known)) resolvedOf.set(pair, n);
  }

  async function conclude(status: CampaignStatus): Promise<CampaignResult> {
    const { next } = state.window;
    const rest = next < planned && status !== 'complete' ? { from: next, reason: SKIPPED[status] } : null;
    const { rollouts, funnels, skipped } = await campaignStore.concludeCampaign.executeWithOptions(
      { summary: 'rows and funnels' },
      [{ plan, instances, pages: state.pages, rest }],
    );
    state.counts.skipped += skipped;
    const { counts, cost } = state;
    phase = 'Done';
    waiting = undefined;
    publish({ Phase: phase, Outcome: status, Step: endedOf(state), CostUsd: cost.usd });
    const result = { id: workflowId, status, instances: count, planned, counts, funnels, rollouts, cost };
    setCurrentDetails(campaignDetails({ input, progress: progress(), recent, result }));
    return result;
  }

  function show(): void {
    setCurrentDetails(campaignDetails({ input, progress: progress(), recent }));
  }

  function progress(): CampaignProgress {
    return {
      phase,
      planned: (state.set?.count ?? 0) * perInstance,
      begun: state.window.next,
      counts: state.counts,
      inFlight: [...inFlight.values()].map(({ id, instance, method, pass, startedAt }) => ({
        ...{ id, instance, method, pass, startedAt },
      })),
      concurrency: state.window.concurrency,
      startsPerMinute: state.startsPerMinute,
      budget: state.budget,
      cost: state.cost,
      todayUsd: spentToday(state, Date.now()),
      paused: state.window.paused,
      ...(waiting === undefined ? {} : { waiting }),
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
