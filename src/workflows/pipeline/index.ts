import {
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import type { createModelActivities } from '../../activities/model';
import type { createPipelineActivities } from '../../activities/pipeline';
import {
  type CampaignResult,
  type CovariateShiftResult,
  type DatasetResult,
  type FailureAnalysisResult,
  PipelineInput,
  type PipelineProgress,
  type PipelineResult,
  type ReportResult,
  type RolloutSource,
} from '../../contract';
import { isCancellation, messageOf } from '../durable/failures';
import { checked, refuse } from '../durable/input';
import { Phase } from '../durable/phase';
import { STORE } from '../durable/retry';
import { SlidingWindow } from '../durable/sliding-window';
import { Steering } from '../durable/steering';
import { Stages } from './stages';
import { pipelineDetails, Travellers } from './travel';

const store = proxyActivities<
  ReturnType<typeof createPipelineActivities> & Pick<ReturnType<typeof createModelActivities>, 'checkProfiles'>
>(STORE);

const progressQuery = defineQuery<PipelineProgress>('progress');

type Cost = PipelineResult['cost'];
type Made = Pick<PipelineResult, 'campaign' | 'dataset' | 'failureAnalysis' | 'covariateShift' | 'report'>;
/** A piece of work: it gives what it made, and is noted under its name when it fails. */
type Work = readonly [stage: string, work: () => Promise<Partial<Made>>];

/**
 * From repositories to training files: repositories are set up, their functions become problems, problems are rolled out,
 * rollouts become a data set, two analyses and a report. Each stage is a workflow of its own, which can be watched, steered
 * and resumed by itself.
 * A repository that gets stuck leaves the pipeline with its reason; a stage that fails keeps back only what needs it.
 */
export async function pipeline(raw: PipelineInput): Promise<PipelineResult> {
  return new Pipeline(checked(PipelineInput, raw, 'pipeline')).run();
}

class Pipeline {
  private readonly id = workflowInfo().workflowId;
  private readonly phase = new Phase('Starting', () => this.show());
  /** Units of the stage that runs; a pipeline has few stages, so that no other run goes on with it. */
  private readonly place = { next: 0, concurrency: 1, paused: false };
  private readonly steering = new Steering(this.place, this.phase);
  private readonly window = new SlidingWindow(this.place, this.steering);
  private readonly stages = new Stages(() => this.show());
  private readonly repositories: Travellers;
  private readonly cost: Cost = { usd: 0, tokens: 0 };
  private readonly made: Made = {
    campaign: null,
    dataset: null,
    failureAnalysis: null,
    covariateShift: null,
    report: null,
  };
  private readonly done: PipelineProgress['done'][number][] = [];
  private readonly troubles: PipelineResult['troubles'] = [];
  private problems = 0;

  constructor(private readonly input: PipelineInput) {
    this.repositories = new Travellers({
      input,
      stages: this.stages,
      spent: (cost) => this.spend(cost),
      resultOf: (id) => this.resultOf(id),
    });
    setHandler(progressQuery, () => this.progress(), {
      description: 'Where the pipeline is, and which workflows work for it.',
    });
  }

  async run(): Promise<PipelineResult> {
    const { input, made } = this;
    this.steering.listen();
    const profiles = (input.campaign?.methods ?? []).flatMap(({ student, expert }) => [student, expert]);
    await store.checkProfiles.executeWithOptions({ summary: 'the profiles of all methods' }, [
      { profiles: [...new Set(profiles)].filter((name) => name !== undefined), persons: true },
    ]);
    this.phase.enter('Repositories');
    const travels = input.repositories.map((_, at) => this.travel(at));
    await this.attempt(travels, input.concurrency);
    await this.attempt([['campaign', () => this.rollOut()]]);
    if (made.campaign) await this.attempt(this.curation({ rollouts: made.campaign.rollouts }), 3);
    if (input.report) await this.attempt([['report', () => this.report()]]);
    return this.conclude();
  }

  private travel(at: number): Work {
    return ['repository', () => this.repositories.travel(at).then(() => ({}))];
  }

  /** The problems of all repositories together, rolled out; or a campaign that was. */
  private async rollOut(): Promise<Partial<Made>> {
    const { input } = this;
    if (input.campaignDone) return { campaign: await this.resultOf<CampaignResult>(input.campaignDone) };
    this.phase.enter('Problems');
    // In an order that does not depend on who came first: the same problems are the same list.
    const builds = this.repositories.builds
      .map(({ instances }) => instances)
      .sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
    const gathered = await store.gatherProblems.executeWithOptions(
      { summary: `problems of ${builds.length} builds, and ${input.problems.length} from elsewhere` },
      [{ builds, problems: input.problems }],
    );
    this.problems = gathered.count;
    if (gathered.count === 0 || !input.campaign) return {};
    this.phase.enter('Rollouts');
    const asked = { ...input.campaign, problems: gathered.problems };
    return { campaign: await this.child<CampaignResult>('campaign', asked) };
  }

  /** What is made of the rollouts: three stages that do not need each other. */
  private curation(rollouts: RolloutSource): Work[] {
    const { name, dataset, failureAnalysis, covariateShift } = this.input;
    const sources = [rollouts];
    const group = (method: string) => ({ name: method, source: rollouts, method });
    const works: Work[] = [];
    if (dataset) {
      const asked = { ...dataset, name, sources };
      works.push(['dataset', async () => ({ dataset: await this.child<DatasetResult>('dataset', asked) })]);
    }
    if (failureAnalysis) {
      const asked = { ...failureAnalysis, sources };
      const analysed = () => this.child<FailureAnalysisResult>('failureAnalysis', asked);
      works.push(['failureAnalysis', async () => ({ failureAnalysis: await analysed() })]);
    }
    if (covariateShift) {
      const { expert, students, settings } = covariateShift;
      const asked = { ...settings, expert: group(expert), students: students.map(group) };
      const analysed = () => this.child<CovariateShiftResult>('covariateShift', asked);
      works.push(['covariateShift', async () => ({ covariateShift: await analysed() })]);
    }
    this.phase.enter('Data set and analyses');
    return works;
  }

  private async report(): Promise<Partial<Made>> {
    this.phase.enter('Report');
    const { input, made, repositories } = this;
    const asked = {
      name: input.name,
      ...input.report,
      campaigns: made.campaign ? [made.campaign] : [],
      dataset: made.dataset ?? undefined,
      failureAnalysis: made.failureAnalysis ?? undefined,
      covariateShift: made.covariateShift ?? undefined,
      setups: byId(repositories.setups),
      problems: byId(repositories.builds),
    };
    return { report: await this.child<ReportResult>('report', asked) };
  }

  private conclude(): PipelineResult {
    const { id, input, made, troubles, problems, cost, repositories, steering } = this;
    const empty = input.campaign && !made.campaign ? 'nothing_to_roll_out' : 'complete';
    const status = steering.abandoned ? 'abandoned' : troubles.length > 0 ? 'partial' : empty;
    upsertMemo({ problems, kept: made.dataset?.rows ?? 0 });
    this.phase.enter('Done', { Outcome: status, CostUsd: cost.usd });
    return { id, status, stations: repositories.stations, problems, ...made, cost, troubles };
  }

  /** Does pieces of work, so many at once, and waits while paused. Once the pipeline is abandoned nothing more is begun. */
  private async attempt(works: readonly Work[], concurrency = 1): Promise<void> {
    const { place, made, troubles } = this;
    place.next = 0;
    place.concurrency = concurrency;
    await this.window.run(works.length, async (unit) => {
      const [stage, work] = works[unit]!;
      try {
        Object.assign(made, await work());
      } catch (error) {
        if (isCancellation(error)) throw error;
        troubles.push({ stage, trouble: messageOf(error) });
      }
    });
  }

  private async child<T>(type: string, asked: unknown): Promise<T> {
    const note = `${type} of ${this.input.name}`;
    const ran = await this.stages.run<T & { status?: string; cost?: Cost }>(type, type, asked, note);
    this.done.push({ stage: type, id: ran.id, outcome: ran.result.status ?? 'done' });
    if (ran.result.cost) this.spend(ran.result.cost);
    return ran.result;
  }

  private async resultOf<T>(of: string): Promise<T> {
    const { ended, result } = await store.resultOf.executeWithOptions({ summary: `result of ${of}`.slice(0, 120) }, [
      { id: of },
    ]);
    return ended ? (result as T) : refuse(`pipeline: ${of} has no result`, 'Name a workflow that has ended well.');
  }

  private spend({ usd, tokens }: Cost): void {
    this.cost.usd += usd;
    this.cost.tokens += tokens;
  }

  private show(): void {
    setCurrentDetails(pipelineDetails(this.input, this.progress(), this.troubles, this.phase.reason));
  }

  private progress(): PipelineProgress {
    return {
      phase: this.phase.name,
      problems: this.problems,
      done: this.done,
      paused: this.place.paused,
      stations: this.repositories.stations,
      working: this.stages.working,
    };
  }
}

function byId<T extends { readonly id: string }>(results: readonly T[]): T[] {
  return [...results].sort((a, b) => (a.id < b.id ? -1 : 1));
}
