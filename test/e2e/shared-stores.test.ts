import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import {
  type CampaignResult,
  type DatasetResult,
  queuesUnder,
  type ReportResult,
  type RolloutRow,
} from '../../src/contract';
import { REPOSITORY } from '../../src/home';
import { type Ran, runCli } from '../cli/run-cli';
import { byteTokenizer } from '../dataset/byte-tokenizer';
import { examples } from '../support/counts';
import { debianPostgres, type RunningPostgres } from '../support/postgres';
import { type RunningS3, s3Server } from '../support/s3-server';
import { scriptedCampaign, tinyStages } from '../support/scripted-campaign';
import { World } from '../support/world';

const folder = mkdtempSync(join(tmpdir(), 'pointsman-shared-'));
let postgres: RunningPostgres;
let s3: RunningS3;
let world: World;
let campaign: ReturnType<typeof scriptedCampaign>;

/** A host of its own: an empty home, and a name. */
const home = (name: string) => {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return { POINTSMAN_HOME: path, POINTSMAN_HOST: name, POINTSMAN_ONLY_HOST: '' };
};

/** The command line of a third host, that has seen nothing yet. */
async function cli(...args: readonly string[]): Promise<Ran> {
  const kept = ['POINTSMAN_CONFIG', 'POINTSMAN_QUEUE', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'];
  const env = Object.fromEntries(kept.map((name) => [name, world.env[name]!]));
  return runCli(args, { env: { ...env, ...home('desk') } });
}
async function answer<T>(...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await cli(...args, '--json');
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

beforeAll(async () => {
  postgres = await debianPostgres();
  s3 = await s3Server();
  process.env.SHARED_DATABASE_URL = await postgres.database('shared');
  const { stages, problems } = await tinyStages(examples(1, 12));
  campaign = scriptedCampaign(stages, { oec: 1, bc: 1 });
  const desk = join(folder, 'given');
  mkdirSync(desk);
  writeFileSync(join(desk, 'problems.jsonl'), problems.map((each) => `${JSON.stringify(each)}\n`).join(''));
  mkdirSync(join(desk, 'tokenizer'));
  for (const [name, body] of Object.entries(byteTokenizer('def add(a, b): return a - b', 20))) {
    writeFileSync(join(desk, 'tokenizer', FILES[name]!), typeof body === 'string' ? body : JSON.stringify(body));
  }
  world = await World.start({
    script: campaign.script,
    profiles: campaign.profiles,
    workers: 0,
    // What hosts share is not read where one of them has it.
    config: { store: { shared: { database: 'SHARED_DATABASE_URL', s3: s3.place('runs') } }, sources: { roots: [] } },
  });
  for (const name of ['a', 'b']) world.startWorker(home(name));
  await world.workerReady();
}, 600_000);
const FILES: Record<string, string> = { tokenizer: 'tokenizer.json', config: 'tokenizer_config.json' };
afterAll(async () => {
  await world?.close();
  await s3?.remove();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Waits until a campaign has begun one. */
async function firstRollout(id: string): Promise<void> {
  for (;;) {
    const { count } = await world.client.workflow.count(`WorkflowType = 'rollout' AND WorkflowId STARTS_WITH '${id}/'`);
    if (count > 0) return;
    await sleep(200);
  }
}

test('a home is only a cache: what two hosts made, a third that has nothing makes a data set and a report of', async () => {
  const given = join(folder, 'given');
  const input = join(given, 'campaign.json');
  writeFileSync(input, JSON.stringify({ ...campaign.input, problems: join(given, 'problems.jsonl'), concurrency: 4 }));
  const running = answer<CampaignResult>('campaign', 'start', '--input', input, '--id', 'fleet', '--wait');
  await firstRollout('fleet');
  // In the middle of it, both halves of the store are away for a while.
  await postgres.restart(1_000);
  await s3.restart();
  const made = await running;
  const rows = (await cli('campaign', 'export', 'fleet')).stdout.split('\n').filter(Boolean);
  expect(rows.map((line) => (JSON.parse(line) as RolloutRow).outcome)).toEqual(
    Array(campaign.expected.rollouts).fill('finished'),
  );
  expect(made.status).toBe('complete');

  // Both hosts are lost, and all that they had.
  await world.killWorkers();
  for (const name of ['a', 'b']) rmSync(join(folder, name), { recursive: true, force: true });
  for (const name of ['c', 'd']) world.startWorker(home(name));
  await world.workerReady();

  const set = [
    '--campaign',
    'fleet',
    '--tokenizer',
    join(given, 'tokenizer'),
    '--format',
    'universal',
    'trl',
    'tokens',
  ];
  const built = await answer<DatasetResult>('dataset', 'build', '--name', 'set', ...set, '--unresolved', '--wait');
  expect(built.rows).toBeGreaterThan(0);
  expect(built.folder).toBe('shared:datasets/set');
  const report = await answer<ReportResult>(
    'report',
    'build',
    '--campaign',
    'fleet',
    '--dataset',
    'set',
    '--name',
    'r',
  );

  const out = join(folder, 'out');
  mkdirSync(out);
  await answer('dataset', 'fetch', 'set', '--to', join(out, 'set'));
  await answer('report', 'fetch', 'r', '--to', join(out, 'r'));
  expect(await answer('dataset', 'show', join(out, 'set'), '--verify')).toMatchObject({ name: 'set', changed: [] });
  expect(await answer('dataset', 'list')).toMatchObject({ datasets: [{ name: 'set', rows: built.rows }] });
  expect(await answer('report', 'show', 'r')).toMatchObject({ state: 'as written', id: report.id });
  expect(readdirSync(out).sort()).toEqual(['r', 'set']);
  const written = readFileSync(join(out, 'set', 'train.universal.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean);
  expect(written).toHaveLength(built.rows);
  const shown = await cli('rollout', 'show', (JSON.parse(rows[0]!) as RolloutRow).id);
  expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('src/calc.py')]);
}, 300_000);

test('one command, and a host is among them; told to end, it goes', async () => {
  const { TEMPORAL_ADDRESS: address = '', ...env } = world.env;
  const args = [join(REPOSITORY, 'bin', 'pointsman'), 'worker', 'start', '--join', `temporal://${address}`];
  const joined = spawn(process.execPath, args, { cwd: folder, env: { ...env, ...home('e') }, stdio: 'ignore' });
  const { namespace } = world;
  const { TASK_QUEUE_TYPE_ACTIVITY: taskQueueType } = temporal.api.enums.v1.TaskQueueType;
  const polls = async (name: string) => {
    const asked = { namespace, taskQueue: { name }, taskQueueType };
    const { pollers } = await world.client.workflowService.describeTaskQueue(asked);
    return (pollers ?? []).some(({ identity }) => identity?.startsWith('pointsman@e '));
  };
  const { sandboxes, workflows } = queuesUnder(world.queue);
  for (let waited = 0; waited < 60_000 && !(await polls(sandboxes)); waited += 200) await sleep(200);
  expect([await polls(sandboxes), await polls(workflows)]).toEqual([true, false]);
  joined.kill('SIGTERM');
  expect(await once(joined, 'exit')).toEqual([0, null]);
});

test('the doctor says whether bucket and database answer', async () => {
  expect((await cli('doctor')).stdout).toContain('bucket and database answer');
  await s3.stop();
  expect((await cli('doctor')).stdout).toContain('bucket "runs"');
  await s3.restart();
});

test("a path of a worker's is refused in words, and one of the desk that is not there too", async () => {
  const begun = await world.begin('dataset', { name: 'bad', sources: [{ rollouts: '/etc/hostname' }] }, 'dataset/bad');
  await expect(begun.result()).rejects.toMatchObject({
    cause: { cause: { message: expect.stringContaining('is a path of one host') } },
  });
  const repository = `git+file://${folder}/given@main`;
  const setup = await cli('setup', 'start', '--source', repository);
  expect(`${setup.stdout}${setup.stderr}`).toContain('Push it to a server');
});
