import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignResult, DatasetResult, ReportResult, RolloutRow } from '../../src/contract';
import { funnelsOf } from '../../src/dataset/funnel';
import { runCli } from '../cli/run-cli';
import { readCsv } from '../pages/report/read-csv';
import { minutes } from '../support/counts';
import { writeSampleCampaign } from '../support/sample-campaign';
import { World } from '../support/world';

const ROLLOUTS = 90;
const CAMPAIGN = 'campaign/sample';

let world: World;
let rows: RolloutRow[];
let campaign: CampaignResult;
let dataset: DatasetResult;

beforeAll(async () => {
  const script = { models: { student: { turns: [] }, expert: { turns: [] } } };
  world = await World.start({ script, profiles: { student: {}, expert: {} } });
  const sample = await writeSampleCampaign(world.home, { rollouts: ROLLOUTS, campaign: CAMPAIGN });
  rows = sample.rows;
  campaign = {
    id: CAMPAIGN,
    status: 'complete',
    instances: new Set(rows.map(({ instance }) => instance)).size,
    planned: rows.length,
    counts: { finished: 0, resolved: 0, failed: 0, cancelled: 0, skipped: 0 },
    funnels: funnelsOf(rows),
    rollouts: await world.blobs.put(readFileSync(sample.file)),
    cost: { usd: 0, tokens: 0 },
  };
  const asked = { name: 'sample', sources: [{ campaign: CAMPAIGN }], formats: ['universal'], parquet: false, seed: 11 };
  const source = { campaign: CAMPAIGN };
  const groups = {
    expert: { name: 'expert', source, method: 'bc' },
    students: [{ name: 'student', source, method: 'on-policy' }],
  };
  const runs = await Promise.all([
    world.begin('dataset', asked, 'dataset/sample'),
    world.begin('failureAnalysis', { sources: [source] }, 'failures/sample'),
    world.begin('covariateShift', { ...groups, permutations: 20, maxTurns: 12 }, 'shift/sample'),
  ]);
  [dataset] = (await Promise.all(runs.map((run) => run.result()))) as [DatasetResult];
}, 240_000);
afterAll(async () => world?.close());

const built = async (id: string, input: object) =>
  (await (await world.begin('report', { name: 'sample', ...input }, id)).result()) as ReportResult;
const csvOf = ({ folder }: ReportResult, name: string) =>
  readCsv(readFileSync(join(folder, 'csv', `${name}.csv`), 'utf8'));
const pageOf = ({ folder, page }: ReportResult) => readFileSync(join(folder, page.path), 'utf8');
const input = () => ({
  campaigns: [campaign],
  dataset: 'dataset/sample',
  failureAnalysis: 'failures/sample',
  covariateShift: 'shift/sample',
});

test(
  'a page out of a campaign given in place and a data set by its id, with what the server knows of it',
  async () => {
    const result = await built('report/sample', input());
    expect(result.parts).toEqual([
      'From planned to kept',
      'The switch from student to expert',
      'Repetition among what passes',
      'The training set',
      'Cost and time',
      'Why rollouts fail',
      'Covariate shift between student and expert',
      'How these numbers were made',
    ]);
    const page = pageOf(result);
    expect(page).toContain(`of ${ROLLOUTS} planned`);
    // Profiles of the rehearsal say it of themselves.
    expect(page).toContain('This is a rehearsal.');
    expect(page).toContain('Scripted: expert and student.');
    const runs = csvOf(result, 'runs');
    expect(runs).toContainEqual(expect.objectContaining({ type: 'dataset', id: 'dataset/sample', seed: '11' }));
    expect(runs).toContainEqual(expect.objectContaining({ type: 'campaign', id: CAMPAIGN, started: '' }));
    const kept = csvOf(result, 'funnel-by-method').filter(
      ({ stage, method }) => stage === 'kept' && method === 'all methods',
    );
    expect(Number(kept[0]!.count)).toBe(dataset.rows);
    expect(csvOf(result, 'licences').reduce((sum, { kept: rowsKept }) => sum + Number(rowsKept), 0)).toBe(dataset.rows);
    const failed = csvOf(result, 'failure-categories');
    const judged = failed.reduce((sum, row) => sum + Number(row.submitted) + Number(row.not_submitted), 0);
    expect(judged).toBe(rows.filter((row) => row.result?.resolved === false).length);
    expect(csvOf(result, 'shift-fd').map(({ turn }) => Number(turn))).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(result.files.map(({ path }) => path)).toContain('csv/losses.csv');
  },
  minutes(3, 3),
);

test(
  'workers that are killed while it is made change nothing: the same bytes, once',
  async () => {
    const first = await built('report/first', input());
    await world.killWorkers();
    const handle = await world.begin('report', { name: 'sample', ...input() }, 'report/again');
    for (const rest of [1_500, 3_000]) {
      world.startWorker();
      await sleep(rest);
      await world.killWorkers();
    }
    world.startWorker();
    const again = (await handle.result()) as ReportResult;
    expect(again.files).toEqual(first.files);
    expect(again.page).toEqual(first.page);
  },
  minutes(4, 4),
);

test(
  'what is not there, has not ended or is something else is refused at once, and says which field it was',
  async () => {
    const refused = async (id: string, asked: object) => {
      const error = (await built(id, asked).catch((thrown: unknown) => thrown)) as {
        cause?: { cause?: Error; message?: string };
      };
      return error.cause?.cause?.message ?? error.cause?.message ?? String(error);
    };
    expect(await refused('report/none', { campaigns: ['campaign/none'] })).toMatch(
      /campaigns: the server knows no workflow "campaign\/none"/,
    );
    expect(await refused('report/type', { setups: ['dataset/sample'] })).toMatch(
      /setups: dataset\/sample is a dataset, not a repoSetup/,
    );
    expect(await refused('report/field', { campaign: ['x'] })).toMatch(/campaign/);
    expect(await refused('report/link', { links: { viewer: 'javascript:alert(1)' } })).toMatch(/links\.viewer/);
  },
  minutes(3, 3),
);

test(
  'the command line builds it, lists it, and shows whether the page is as it was written',
  async () => {
    const cli = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(['report', ...args, '--json'], {
        env: world.env as Record<string, string>,
      });
      if (code !== 0) throw new Error(stderr + stdout);
      return JSON.parse(stdout);
    };
    const rollouts = join(world.home, 'campaigns', encodeURIComponent(CAMPAIGN), 'rollouts.jsonl');
    const made = (await cli(
      'build',
      '--dataset',
      'sample',
      '--rollouts',
      rollouts,
      '--title',
      'By hand',
    )) as ReportResult;
    expect(made).toMatchObject({ id: 'report/sample' });
    expect(pageOf(made)).toContain('<h1>By hand</h1>');
    expect(csvOf(made, 'runs')).toContainEqual(expect.objectContaining({ id: 'dataset/sample', seed: '11' }));
    expect(await cli('show', 'sample')).toMatchObject({ state: 'as written', parts: made.parts });
    const { reports } = (await cli('list')) as { reports: { id: string }[] };
    expect(reports.map(({ id }) => id)).toContain('report/sample');
  },
  minutes(4, 4),
);
