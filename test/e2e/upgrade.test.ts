import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { RolloutProgress, RolloutResult } from '../../src/contract';
import { temporalBinary } from '../../src/machine/temporal';
import { runCli } from '../cli/run-cli';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string) => ({ thought: 'Go on.', tool: 'bash', args: { command } });
const script = { models: { slow: { turns: [bash('sleep 6'), bash('true'), bash('true')], end: 'submit' } } };

let world: World;
beforeAll(async () => {
  world = await World.start({ script, profiles: { slow: {} }, workers: 0 });
}, 60_000);
afterAll(async () => {
  await world?.close();
}, 60_000);

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

test('histories of what has ended are exported once', async () => {
  const out = join(world.home, 'histories');
  const env = { ...world.env, TEMPORAL_BIN: temporalBinary() } as Record<string, string>;
  const exporting = async () =>
    JSON.parse((await runCli(['history', 'export', '--out', out, '--json'], { env })).stdout) as object;
  expect(await exporting()).toEqual({ folder: out, exported: 2, passed: 0 });
  expect(await exporting()).toEqual({ folder: out, exported: 0, passed: 2 });
  const histories = readdirSync(out).map((name) => gunzipSync(readFileSync(join(out, name))).toString('utf8'));
  for (const history of histories) expect(JSON.parse(history).events[0].eventId).toBe('1');
}, 60_000);

async function becomesCurrent(build: string): Promise<void> {
  const version = ['--deployment-name', 'pointsman', '--build-id', build];
  for (let waited = 0; ; waited += 500) {
    const set = temporal('worker', 'deployment', 'set-current-version', ...version, '--yes');
    const failed = await set.then(() => undefined).catch((error: Error) => error);
    if (!failed) return;
    if (waited > 60_000) throw failed;
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
  await promisify(execFile)(temporalBinary()!, [...args, address, namespace]);
}
