import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { look } from '../cli/context';
import { linksOf } from '../cli/report/input';
import { near, temporalCommand, temporalName } from '../cli/temporal-command';
import { pipelineProgressLine, pipelineText } from '../cli/terminal/pipeline';
import { waited } from '../cli/wait';
import {
  type CampaignProgress,
  type PipelineInput,
  type PipelineProgress,
  type PipelineResult,
  PointsmanError,
} from '../contract';
import { openPage } from '../machine/command';
import { count } from '../pages/figures';
import { Narrator, POINTSMAN } from './narrator';
import { DEMO_QUEUE, SCRIPTED, type Stage, startServices } from './stage';
import { provideProblem, REAL_BUG } from './yamllint-problem';

const SOURCE = 'pypi:inflection==0.5.1';
const NAME = 'demo';
const ID = `line/${NAME}`;
/** Rollouts that are done when the worker is killed. */
const KILL_AFTER = 4;

/** The three methods of the paper over two problems: a function of a package that is set up here, and a real bug. */
function pipelineInput(seed: number, links: object) {
  return {
    name: NAME,
    repositories: [{ source: SOURCE }],
    problems: [REAL_BUG],
    build: {
      only: ['inflection.parameterize', 'inflection.titleize'],
      // Stricter than the default, so that a harness is seen to be refused.
      gates: { mutationScore: 0.9 },
      concurrency: 2,
    },
    campaign: {
      methods: [
        { name: 'oec', student: 'demo-student', expert: 'demo-expert', handOver: { uniform: [0, 6] }, passes: 2 },
        { name: 'bc', expert: 'demo-expert', handOver: { at: 0 }, passes: 1 },
        { name: 'on-policy', student: 'demo-student', handOver: { never: true }, passes: 1 },
      ],
      limits: { steps: 16 },
      concurrency: 6,
      seed,
    },
    dataset: { train: { 'on-policy': ['student'] } },
    failureAnalysis: {},
    covariateShift: { expert: 'bc', students: ['on-policy'] },
    report: { title: 'The demo of Pointsman', rehearsal: true, links },
  } satisfies Record<keyof Omit<PipelineInput, 'setup' | 'concurrency' | 'campaignDone'>, unknown>;
}

/**
 * From a published package to a training set and a report in one go: set up, problems, rollouts in which an expert takes over
 * from a student, a worker that is killed among them, data, analyses, a page.
 */
export async function pipelineDemo(): Promise<void> {
  const tell = new Narrator();
  tell.title('From a repository to a training set, in one pipeline that survives a kill');
  tell.say(
    `${SOURCE} is set up, its functions become problems, and a real bug of yamllint is added. A student begins, an ` +
      'expert takes over at a random turn; hidden tests decide what is kept. Both models are SCRIPTED ' +
      `(${near(SCRIPTED.script)}), because this needs no key. The repositories, the sandboxes, the tests, the kill and what ` +
      'survives it are real.',
  );

  const stage = await startServices(tell, 'Temporal server and scripted models', SCRIPTED);

  tell.title('2. The pipeline');
  // The set-up and the problems of an earlier demo are taken as they are: they were asked for in the same words. Rollouts
  // are not, because the seed is another.
  const input = pipelineInput(Math.floor(Date.now() / 1000), await linksOf(stage.cli));
  const handle = await stage.cli.start('pipeline', input, { id: ID, note: 'demo: the whole pipeline' });
  tell.title('3. A real bug, while the repository is set up');
  await beforeRollouts(handle, () => provideProblem(stage, tell));

  tell.title('4. To the end');
  const story = new Story(stage, handle, tell);
  const result = await waited<PipelineResult>(stage.cli, handle, {
    follow: `${POINTSMAN} pipeline watch ${ID}`,
    everyMs: 300,
    look: () => story.look(),
  });
  const { kill } = story;

  tell.title('5. The result');
  for (const line of pipelineText(result, look()).split('\n')) tell.line(line);
  const { campaign, dataset, report } = result;
  if (result.status !== 'complete' || !campaign || !dataset || !report)
    throw new PointsmanError('Unavailable', `the pipeline is ${result.status}`, `${POINTSMAN} pipeline show ${ID}`);
  tell.line();
  tell.say(
    `${count(campaign.planned, 'rollout')} planned, ${campaign.counts.finished} finished, none lost` +
      `${kill ? `, though worker ${kill.pid} was killed with ${kill.inFlight} in flight` : ''}; ${count(dataset.rows, 'row')} to train on, ` +
      `loss on ${dataset.trainedTurns} of ${dataset.turns} turns.`,
  );

  tell.title('Where to look');
  const page = join(report.folder, report.page.path);
  tell.line(`  the report     file://${page}`);
  tell.line(`  trajectories   ${POINTSMAN} view --campaign ${campaign.id}`);
  tell.line(`  the data       ${near(dataset.folder)}/README.md`);
  tell.line(`  its figures    ${POINTSMAN} dataset show ${NAME}`);
  tell.line(`  a row's chain  ${POINTSMAN} dataset audit ${NAME} 1`);
  tell.line(`  in the UI      ${stage.inUi(ID)}`);
  tell.byHand([
    temporalCommand('pipeline', DEMO_QUEUE, 'by-hand', input),
    `${temporalName()} workflow query --workflow-id by-hand --type progress`,
  ]);
  // Where a person sits in front of it.
  if (process.stdout.isTTY && !process.env.CI) openPage(page);
  tell.end();
  await stage.cli.close();
}

/** Does `work` while the pipeline is at its repositories: what begins behind them finds it done. */
async function beforeRollouts(pipeline: WorkflowHandle, work: () => Promise<unknown>): Promise<void> {
  const isOpen = async () => (await pipeline.describe()).status.name === 'RUNNING';
  const hasBegun = async () => (await pipeline.query<PipelineProgress>('progress')).working.length > 0;
  while ((await isOpen()) && !(await hasBegun())) await sleep(100);
  // Paused, it finishes what it has begun and begins nothing else.
  if (await isOpen()) await pipeline.executeUpdate('pause');
  await work();
  if (await isOpen()) await pipeline.executeUpdate('resume');
}

/**
 * Tells where the pipeline is whenever that changes, and in the middle of its rollouts kills the worker and starts another.
 */
class Story {
  kill: Kill | undefined;
  private said = '';

  constructor(
    private readonly stage: Stage,
    private readonly handle: WorkflowHandle,
    private readonly tell: Narrator,
  ) {}

  async look(): Promise<void> {
    const { stage, tell } = this;
    // A query waits for a worker; while there is none, asking again is all there is to do.
    const progress = await this.handle.query<PipelineProgress>('progress').catch(() => undefined);
    if (!progress) return;
    const rollouts = progress.working.find(({ stage: name }) => name === 'campaign');
    const campaign = rollouts && (await progressOf(stage, rollouts.id));
    const line = campaign ? `rollouts · ${campaignLine(campaign)}` : pipelineProgressLine(progress);
    if (line !== this.said) tell.glimpse(line);
    this.said = line;
    if (campaign && !this.kill && campaign.counts.finished >= KILL_AFTER) {
      const inFlight = campaign.inFlight.length;
      this.kill = { pid: stage.killWorker(), inFlight };
      tell.event(`worker ${this.kill.pid} killed with SIGKILL while ${count(inFlight, 'rollout')} ran`);
      await stage.startWorker();
      tell.event('another worker took them over, each at the turn it had reached');
    }
  }
}

interface Kill {
  readonly pid: number;
  readonly inFlight: number;
}

async function progressOf(stage: Stage, id: string): Promise<CampaignProgress | undefined> {
  const campaign = stage.client.workflow.getHandle(id);
  return campaign.query<CampaignProgress>('progress').catch(() => undefined);
}

function campaignLine({ planned, counts, inFlight }: CampaignProgress): string {
  return `${counts.finished} of ${planned} finished, ${counts.resolved} resolved, ${inFlight.length} in flight`;
}
