import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionProblemsResult, PipelineProgress, PipelineResult } from '../../src/contract';
import { runCli } from '../cli/run-cli';
import { minutes } from '../support/counts';
import { MEND_CONVERT, shopkit } from '../support/shopkit';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const look = (command: string) => ({ thought: 'I look.', tool: 'bash', args: { command } });
const script = {
  models: {
    // Never writes a line, and loops when nobody stops it.
    student: { dialect: 'xml', turns: [look('ls'), look('git log --oneline | head -3')], end: 'repeat' },
    expert: { dialect: 'tools', position: 'match', turns: [look('pwd'), MEND_CONVERT], end: 'submit' },
  },
};

let world: World;
let build: FunctionProblemsResult;
let input: Record<string, unknown>;

beforeAll(
  async () => {
    const profiles = { student: { view: { dialect: 'xml' } }, expert: { view: { dialect: 'tools' } } };
    world = await World.start({ script, profiles });
    const asked = {
      environment: await shopkit(),
      attempts: [{ author: 'builtin:recorded-calls' }],
      only: ['shopkit.money.convert'],
    };
    build = (await (await world.begin('functionProblems', asked, 'build')).result()) as FunctionProblemsResult;
    input = {
      name: 'whole',
      repositories: [{ build: 'build' }, { source: 'dir:/there/is/no/such/folder' }],
      problems: [await tinyProblem('elsewhere')],
      campaign: {
        methods: [
          { name: 'oec', student: 'student', expert: 'expert', handOver: { uniform: [0, 3] }, passes: 2 },
          { name: 'bc', expert: 'expert', handOver: { at: 0 }, passes: 2 },
          { name: 'on-policy', student: 'student', handOver: { never: true }, passes: 2 },
        ],
        limits: { steps: 8 },
        concurrency: 3,
      },
      // The models are scripted, so that two passes are the same.
      dataset: { perInstance: null, deduplicate: false, formats: ['universal', 'trl'] },
      failureAnalysis: {},
      covariateShift: { expert: 'bc', students: ['on-policy'], settings: { permutations: 20, bootstrapReplicates: 3 } },
      report: { title: 'A line', rehearsal: true },
    };
  },
  minutes(6, 6),
);
afterAll(async () => {
  await world?.close();
});

test(
  'a repository, a problem from elsewhere and a repository that gets stuck: rollouts, data, analyses and a report',
  async () => {
    expect(build.admitted).toBe(1);
    const handle = await world.begin('pipeline', input, 'pipeline');
    // The worker dies among the rollouts, and nothing comes of that.
    for (
      let working: PipelineProgress['working'] = [];
      !working.some(({ stage }) => stage === 'campaign');
      await sleep(200)
    )
      working = ((await handle.query('progress').catch(() => ({ working: [] }))) as PipelineProgress).working;
    await sleep(3_000);
    await world.killWorkers('SIGKILL');
    world.startWorker();

    const result = (await handle.result()) as PipelineResult;
    expect(result).toMatchObject({
      status: 'complete',
      troubles: [],
      problems: 2,
      stations: [
        { repository: 'build', build: 'build', admitted: 1 },
        { repository: 'dir:/there/is/no/such/folder', build: null, trouble: expect.stringContaining('folder') },
      ],
      // Nobody solves the problem from elsewhere: its test is not there.
      campaign: { planned: 12, counts: { finished: 12, resolved: 4, failed: 0 } },
      dataset: { rows: 4 },
    });
    const { dataset, failureAnalysis, covariateShift, report } = result;
    for (const method of ['oec', 'bc'])
      expect(dataset!.funnels.find((each) => each.method === method)!.funnel.stages.at(-1)).toEqual({
        stage: 'kept',
        count: 2,
      });
    const files = dataset!.files.filter(({ path }) => path.endsWith('.jsonl'));
    for (const { path } of files) expect(existsSync(join(dataset!.folder, path))).toBe(true);
    expect(failureAnalysis!.table.map(({ method, rollouts, resolved }) => [method, rollouts, resolved])).toEqual(
      expect.arrayContaining([
        ['oec', 4, 2],
        ['bc', 4, 2],
        ['on-policy', 4, 0],
      ]),
    );
    expect(covariateShift!.points.length).toBeGreaterThan(0);
    const page = readFileSync(join(report!.folder, report!.page.path), 'utf8');
    expect(page).toContain('This is a rehearsal.');
  },
  minutes(8, 8),
);

test(
  'a line of the same name takes up what is done, and asks no model again',
  async () => {
    const before = (await (await fetch(`${world.rehearsal.url}/stats`)).json()) as object;
    const handle = await world.begin('pipeline', input, 'pipeline');
    const result = (await handle.result()) as PipelineResult;
    expect(result).toMatchObject({ status: 'complete', dataset: { rows: 4 } });
    expect(await (await fetch(`${world.rehearsal.url}/stats`)).json()).toEqual(before);
  },
  minutes(4, 4),
);

test('`pipeline show` tells how far each repository came, why rollouts were lost, and where everything is', async () => {
  const env = world.env as Record<string, string>;
  const { code, stdout } = await runCli(['pipeline', 'show', 'pipeline'], { env });
  expect(code).toBe(0);
  expect(stdout).toMatch(/line: complete/);
  expect(stdout).toMatch(/dir:\/there\/is\/no\/such\/folder/);
  expect(stdout).toMatch(/kept +2 +2 +0 +4/);
  expect(stdout).toMatch(/report +\/.*index\.html/);
  for (const line of stdout.split('\n').filter((each) => !each.includes('/')))
    expect(line.length).toBeLessThanOrEqual(80);
});

test('names that do not fit are refused before anything starts', async () => {
  const methods = [{ name: 'oec', student: 'nobody', expert: 'expert' }];
  const wrong = await world.begin('pipeline', { ...input, campaign: { methods }, covariateShift: undefined }, 'wrong');
  await expect(wrong.result()).rejects.toMatchObject({ cause: { cause: { message: /no model profile "nobody"/ } } });
  const shifted = await world.begin(
    'pipeline',
    { ...input, covariateShift: { expert: 'cloned', students: ['oec'] } },
    'shifted',
  );
  await expect(shifted.result()).rejects.toMatchObject({ cause: { message: /covariateShift.*method/s } });
});
