import { proxyActivities, setCurrentDetails, setHandler, upsertMemo, workflowInfo } from '@temporalio/workflow';
import type { createLineActivities } from '../activities/line';
import type { createModelActivities } from '../activities/model';
import {
  type CampaignResult,
  type CovariateShiftResult,
  type DatasetResult,
  type FailureAnalysisResult,
  LineInput,
  type LineProgress,
  type LineResult,
  type ReportResult,
  type RolloutSource,
} from '../contract';
import { publish } from './durable/attributes';
import { isCancellation, messageOf } from './durable/failures';
import { checked, refuse } from './durable/input';
import { lineDetails } from './durable/line-details';
import { Travellers } from './durable/line-travel';
import { lineProgressQuery } from './durable/queries';
import { SlidingWindow } from './durable/sliding-window';
import { Stages } from './durable/stages';

const store = proxyActivities<
  ReturnType<typeof createLineActivities> & Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>
>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 20 },
});

type Cost = LineResult['cost'];
type Made = Pick<LineResult, 'campaign' | 'dataset' | 'failureAnalysis' | 'covariateShift' | 'report'>;
/** A piece of work: it gives what it made, and is noted under its name when it fails. */
type Work = readonly [stage: string, work: () => Promise<Partial<Made>>];

/**
 * The whole line: repositories are set up, their functions become problems, problems are rolled out, rollouts become a data
 * set, two analyses and a report. Each stage is a workflow of its own, which can be watched, steered and resumed by itself.
 * A repository that gets stuck leaves the line with its reason; a stage that fails keeps back only what needs it.
 */
export async function line(raw: LineInput): Promise<LineResult> {
  const input = checked(LineInput, raw, 'line');
  const { workflowId: id } = workflowInfo();
  const cost: Cost = { usd: 0, tokens: 0 };
  const made: Made = { campaign: null, dataset: null, failureAnalysis: null, covariateShift: null, report: null };
  const done: LineProgress['done'][number][] = [];
  const troubles: LineResult['troubles'] = [];
  const place = { next: 0, concurrency: 1, paused: false };
  let phase = 'Starting';
  let problems = 0;
  let waiting: string | undefined;
  const stages = new Stages(() => show());
  const repositories = new Travellers({ input, stages, spent, resultOf });
  const window = new SlidingWindow(place, (reason) => {
    waiting = reason;
    show();
  });
  setHandler(lineProgressQuery, progress, { description: 'Where the line is, and which workflows work for it.' });

  const profiles = (input.campaign?.methods ?? []).flatMap(({ student, expert }) => [student, expert]);
  await store.checkProfiles.executeWithOptions({ summary: 'the profiles of all methods' }, [
    { profiles: [...new Set(profiles)].filter((name) => name !== undefined) },
  ]);

  enter('Repositories');
  await attempt(input.repositories.map(travelled), input.concurrency);
  await attempt([['campaign', rolledOut]]);
  if (made.campaign) await attempt(curation({ rollouts: made.campaign.rollouts }), 3);
  if (input.report) await attempt([['report', reported]]);
  return concluded();

  function travelled(_: unknown, at: number): Work {
    return ['repository', () => repositories.travel(at).then(() => ({}))];
  }

  /** The problems of all repositories together, rolled out; or a campaign that was. */
  async function rolledOut(): Promise<Partial<Made>> {
    if (input.campaignDone) return { campaign: await resultOf<CampaignResult>(input.campaignDone) };
    enter('Problems');
    // In an order that does not depend on who came first: the same problems are the same list.
    const builds = repositories.builds.map(({ instances }) => instances).sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
    const gathered = await store.gatherProblems.executeWithOptions(
      { summary: `problems of ${builds.length} builds, and ${input.problems.length} from elsewhere` },
      [{ builds, problems: input.problems }],
    );
    problems = gathered.count;
    if (problems === 0 || !input.campaign) return {};
    enter('Rollouts');
    const asked = { ...input.campaign, problems: gathered.problems };
    return { campaign: await child<CampaignResult>('campaign', asked) };
  }

  /** What is made of the rollouts: three stages that do not need each other. */
  function curation(rollouts: RolloutSource): Work[] {
    const { name, dataset, failureAnalysis, covariateShift } = input;
    const sources = [rollouts];
    const group = (method: string) => ({ name: method, source: rollouts, method });
    const works: Work[] = [];
    if (dataset) {
      const asked = { ...dataset, name, sources };
      works.push(['dataset', async () => ({ dataset: await child<DatasetResult>('dataset', asked) })]);
    }
    if (failureAnalysis) {
      const asked = { ...failureAnalysis, sources };
      const analysed = () => child<FailureAnalysisResult>('failureAnalysis', asked);
      works.push(['failureAnalysis', async () => ({ failureAnalysis: await analysed() })]);
    }
    if (covariateShift) {
      const { expert, students, settings } = covariateShift;
      const asked = { ...settings, expert: group(expert), students: students.map(group) };
      const analysed = () => child<CovariateShiftResult>('covariateShift', asked);
      works.push(['covariateShift', async () => ({ covariateShift: await analysed() })]);
    }
    enter('Data set and analyses');
    return works;
  }

  async function reported(): Promise<Partial<Made>> {
    enter('Report');
    const { campaign, dataset, failureAnalysis, covariateShift } = made;
    const asked = {
      ...{ name: input.name, ...input.report },
      campaigns: campaign ? [campaign] : [],
      ...(dataset ? { dataset } : {}),
      ...(failureAnalysis ? { failureAnalysis } : {}),
      ...(covariateShift ? { covariateShift } : {}),
      setups: byId(repositories.setups),
      problems: byId(repositories.builds),
    };
    return { report: await child<ReportResult>('report', asked) };
  }

  function concluded(): LineResult {
    const empty = input.campaign && !made.campaign ? 'nothing_to_roll_out' : 'complete';
    const status = window.abandoned ? 'abandoned' : troubles.length > 0 ? 'partial' : empty;
    publish({ Outcome: status, CostUsd: cost.usd });
    upsertMemo({ problems, kept: made.dataset?.rows ?? 0 });
    enter('Done');
    return { id, status, stations: repositories.stations, problems, ...made, cost, troubles };
  }

  /** Does pieces of work, so many at once, and waits while paused. Once the line is abandoned nothing more is begun. */
  async function attempt(works: readonly Work[], concurrency = 1): Promise<void> {
    Object.assign(place, { next: 0, concurrency });
    await window.run(works.length, async (unit) => {
      const [stage, work] = works[unit]!;
      try {
        Object.assign(made, await work());
      } catch (error) {
        if (isCancellation(error)) throw error;
        troubles.push({ stage, trouble: messageOf(error) });
      }
    });
  }

  async function child<T>(type: string, asked: unknown): Promise<T> {
    const ran = await stages.run<T & { status?: string; cost?: Cost }>(type, type, asked, `${type} of ${input.name}`);
    done.push({ stage: type, id: ran.id, outcome: ran.result.status ?? 'done' });
    if (ran.result.cost) spent(ran.result.cost);
    return ran.result;
  }

  async function resultOf<T>(of: string): Promise<T> {
    const { ended, result } = await store.resultOf.executeWithOptions({ summary: `result of ${of}`.slice(0, 120) }, [
      { id: of },
    ]);
    return ended ? (result as T) : refuse(`line: ${of} has no result`, 'Name a workflow that has ended well.');
  }

  function spent({ usd, tokens }: Cost): void {
    cost.usd += usd;
    cost.tokens += tokens;
  }

  function enter(name: string): void {
    phase = name;
    publish({ Phase: name });
    show();
  }

  function show(): void {
    setCurrentDetails(lineDetails(input, progress(), troubles, waiting));
  }

  function progress(): LineProgress {
    return {
      ...{ phase, problems, done, paused: place.paused },
      stations: repositories.stations,
      working: stages.working,
    };
  }
}

function byId<T extends { readonly id: string }>(results: readonly T[]): T[] {
  return [...results].sort((a, b) => (a.id < b.id ? -1 : 1));
}
