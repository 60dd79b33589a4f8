import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type {
  CampaignResult,
  DatasetResult,
  RepoSetupResult,
  RolloutProgress,
  RolloutResult,
} from '../../src/contract';
import { REPOSITORY } from '../../src/home';
import { temporalBinary } from '../../src/machine/temporal';
import { runCli } from '../cli/run-cli';
import { examples, inFull } from '../support/counts';
import { figures } from '../support/figures';
import { folderOf, giveUp, projectOf, removeFolders, shell } from '../support/set-up';
import { TINY_TESTS, tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string) => ({ thought: 'Go on.', tool: 'bash', args: { command } });
const script = {
  models: {
    slow: { turns: [bash('sleep 6'), bash('true'), bash('true')], end: 'submit' },
    student: { turns: [bash('ls'), bash('sleep 1; ls'), bash('sleep 2; ls')], end: 'submit' },
    fixer: { position: 'match', turns: [bash('pwd'), bash('sed -i s/-/+/ src/calc.py; sleep 2')], end: 'submit' },
    setter: { turns: [...[1, 2, 3, 4].map((k) => shell(`sleep ${k}; echo ${k} >> /opt/steps`)), giveUp()] },
  },
};
/** Of each of two campaigns. */
const ROLLOUTS = examples(4, 40);

const run = promisify(execFile);
let world: World;
let release = '';
beforeAll(async () => {
  const profiles = { slow: {}, student: {}, fixer: {}, setter: {} };
  // As where there are other hosts: this one has a queue of its own, whichever build serves it.
  world = await World.start({ script, profiles, workers: 0, env: { POINTSMAN_ONLY_HOST: '0', POINTSMAN_HOST: 'one' } });
});
afterAll(async () => {
  await world?.close();
  removeFolders();
  if (release) rmSync(release, { recursive: true, force: true });
});

test('an upgrade leaves running rollouts on the build that they began on; new ones begin on the new one', async () => {
  const input = { problem: await tinyProblem('upgrade'), student: 'slow', handOver: { never: true }, grade: false };
  world.startWorker({ POINTSMAN_DEPLOYMENT: 'pointsman.one' });
  await becomesCurrent('one');
  const old = await world.begin('rollout', input, 'before-the-upgrade');
  for (let phase = ''; phase !== 'Student'; await sleep(100))
    phase = ((await old.query('progress')) as RolloutProgress).phase;

  world.startWorker({ POINTSMAN_DEPLOYMENT: 'pointsman.two' });
  await becomesCurrent('two');
  const fresh = await world.begin('rollout', input, 'after-the-upgrade');
  const results = (await Promise.all([old.result(), fresh.result()])) as RolloutResult[];

  expect(results.map(({ status, turns }) => [status, turns.total])).toEqual([
    ['submitted', 4],
    ['submitted', 4],
  ]);
  expect(await buildsOf('before-the-upgrade')).toEqual(['one']);
  expect(await buildsOf('after-the-upgrade')).toEqual(['two']);
}, 180_000);

test('hosts add no queue to a version, which has a hundred at most', async () => {
  const { workerDeploymentVersionInfo: version } = await world.client.workflowService.describeWorkerDeploymentVersion({
    namespace: world.namespace,
    deploymentVersion: { deploymentName: 'pointsman', buildId: 'two' },
  });
  const queues = new Set(version?.taskQueueInfos?.map(({ name }) => name));
  expect(queues).toEqual(new Set([world.queue, `${world.queue}-sandboxes`]));
  const { events } = await world.client.workflow.getHandle('after-the-upgrade').fetchHistory();
  const asked = events?.map((event) => event.activityTaskScheduledEventAttributes?.taskQueue?.name);
  expect(asked).toContain(`${world.queue}-host-one@two`);
});

test('histories of what has ended are exported once', async () => {
  const out = join(world.home, 'histories');
  const env = { ...world.env, TEMPORAL_BIN: temporalBinary() } as Record<string, string>;
  const exporting = async () =>
    JSON.parse((await runCli(['history', 'export', '--out', out, '--json'], { env })).stdout) as object;
  expect(await exporting()).toEqual({ folder: out, exported: 2, passed: 0 });
  expect(await exporting()).toEqual({ folder: out, exported: 0, passed: 2 });
  const histories = readdirSync(out).map((name) => gunzipSync(readFileSync(join(out, name))).toString('utf8'));
  for (const history of histories) expect(JSON.parse(history).events[0].eventId).toBe('1');
});

inFull(
  'what began on an older release ends on it, beside a worker of this one, which reads all that it left',
  async () => {
    release = await olderRelease();
    world.startWorker({ POINTSMAN_DEPLOYMENT: 'pointsman.old' }, release);
    await becomesCurrent('old');
    const problem = { ...(await tinyProblem('release')), tests: TINY_TESTS };
    const methods = [
      { name: 'oec', student: 'student', expert: 'fixer', handOver: { at: 2 }, passes: ROLLOUTS / 2 },
      { name: 'bc', expert: 'fixer', handOver: { at: 0 }, passes: ROLLOUTS / 2 },
    ];
    const campaign = { problems: [problem], methods, concurrency: 8 };
    const began = await world.begin('campaign', campaign, 'campaign/old');
    const setup = { source: `dir:${folderOf(projectOf('calc'))}`, roles: { agent: 'setter' }, judge: false };
    const setUp = await world.begin('repoSetup', { ...setup, experience: { mode: 'off' } }, 'setup/old');
    while ((await rolloutsOf('campaign/old')).length < ROLLOUTS / 4) await sleep(200);

    world.startWorker({ POINTSMAN_DEPLOYMENT: 'pointsman.new' });
    await becomesCurrent('new');
    const fresh = await world.begin('campaign', campaign, 'campaign/new');
    const ended = (await Promise.all([began.result(), fresh.result()])) as CampaignResult[];
    for (const { counts } of ended) expect(counts).toMatchObject({ finished: 2 * (ROLLOUTS / 2), failed: 0 });
    expect(((await setUp.result()) as RepoSetupResult).status).toBe('gave_up');
    expect(await buildsOf('setup/old')).toEqual(['old']);
    for (const build of ['old', 'new']) {
      const builds = await Promise.all((await rolloutsOf(`campaign/${build}`)).map(buildsOf));
      expect(new Set(builds.flat())).toEqual(new Set([build]));
    }

    const [id = ''] = await rolloutsOf('campaign/old');
    expect(await said('rollout', 'show', id)).toMatch(/── summary ─/);
    expect(await said('setup', 'show', 'setup/old')).toMatch(/gave.up/);
    expect(await said('rollout', 'regrade', id, '--json')).toMatch(/"resolved": ?true/);
    const sources = ['old', 'new'].map((name) => ({ campaign: `campaign/${name}` }));
    const input = { name: 'of-both', sources, perInstance: null, deduplicate: false, formats: ['universal', 'trl'] };
    const made = (await (await world.begin('dataset', input, 'dataset/of-both')).result()) as DatasetResult;
    figures('21 an older release', { rollouts: 2 * ROLLOUTS, rows: made.rows });
    expect(made.rows).toBe(2 * ROLLOUTS);
  },
  20 * 60_000,
);

/** A compiled checkout of what RELEASE names; until there is a release, of what there was a day ago. */
async function olderRelease(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pointsman-release-'));
  const named = process.env.RELEASE ? [process.env.RELEASE] : ['--before=1 day ago', 'HEAD'];
  const { stdout } = await run('git', ['rev-list', '-1', ...named], { cwd: REPOSITORY });
  const pack = `${folder}.tar`;
  await run('git', ['archive', '--output', pack, stdout.trim()], { cwd: REPOSITORY });
  await run('tar', ['-xf', pack, '-C', folder]);
  rmSync(pack);
  await run('npm', ['ci'], { cwd: folder });
  await run(process.execPath, ['-e', 'require("./bin/build.cjs")()'], { cwd: folder });
  return folder;
}

async function rolloutsOf(campaign: string): Promise<string[]> {
  const found: string[] = [];
  const query = `WorkflowType = 'rollout' AND WorkflowId STARTS_WITH '${campaign}/'`;
  for await (const { workflowId } of world.client.workflow.list({ query })) found.push(workflowId);
  return found;
}

/** What a command of this checkout answers. */
async function said(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { env: world.env as Record<string, string> });
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

async function becomesCurrent(build: string): Promise<void> {
  const version = ['--deployment-name', 'pointsman', '--build-id', build];
  for (let waited = 0; ; waited += 500) {
    const set = temporal('worker', 'deployment', 'set-current-version', ...version, '--yes');
    const failed = await set.then(() => undefined).catch((error: Error) => error);
    if (!failed) return;
    if (waited > 180_000) throw new Error(`${world.workerLog().slice(-3000)}`, { cause: failed });
    await sleep(500);
  }
}

/** Builds whose workers completed workflow tasks of a run. */
async function buildsOf(id: string): Promise<string[]> {
  const { events } = await world.client.workflow.getHandle(id).fetchHistory();
  const builds = (events ?? []).map((event) => event.workflowTaskCompletedEventAttributes?.deploymentVersion?.buildId);
  return [...new Set(builds.filter((build): build is string => Boolean(build)))];
}

async function temporal(...args: string[]): Promise<void> {
  const [address, namespace] = [`--address=${world.address}`, `--namespace=${world.namespace}`];
  await run(temporalBinary()!, [...args, address, namespace]);
}
