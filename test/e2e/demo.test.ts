import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { REPOSITORY } from '../../src/home';
import { startDevServer } from '../../src/machine/dev-server';
import { freePort } from '../../src/machine/ports';
import { temporalBinary } from '../../src/machine/temporal';
import { type Ran, runCli } from '../cli/run-cli';
import { inFull } from '../support/counts';
import { figures } from '../support/figures';
import { installPackage, registryAnswers } from '../support/installed';

const home = mkdtempSync(join(tmpdir(), 'pointsman-demo-'));
/** The package, installed where no checkout is. */
const elsewhere = mkdtempSync(join(tmpdir(), 'pointsman-installed-'));
let command = join(REPOSITORY, 'bin', 'pointsman');
const env: Record<string, string> = {
  POINTSMAN_HOME: home,
  // Of its own, so that the janitor of another server on the same engine does not take our things for orphans.
  TEMPORAL_NAMESPACE: 'demo-test',
  TEMPORAL_BIN: temporalBinary() ?? '',
};

beforeAll(async () => {
  Object.assign(process.env, env);
  const { address } = await startDevServer({ port: await freePort(), uiPort: await freePort() });
  env.TEMPORAL_ADDRESS = address;
  const connection = await Connection.connect({ address });
  const workflowExecutionRetentionPeriod = { seconds: 86_400 as unknown as Long };
  await connection.workflowService.registerNamespace({ namespace: 'demo-test', workflowExecutionRetentionPeriod });
  // The server knows a new namespace when it next reads the list of them.
  const known = () =>
    connection.workflowService.describeTaskQueue({ namespace: 'demo-test', taskQueue: { name: 'q' } });
  for (let waited = 0; waited < 30_000 && !(await known().catch(() => undefined)); waited += 200) await sleep(200);
  await connection.close();
});

afterAll(() => {
  for (const folder of [home, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

test('the package, installed elsewhere, brings all that it needs', async () => {
  if (await registryAnswers()) command = await installPackage(elsewhere);
  else console.warn('the package is not tested: no npm registry answers, so what it needs cannot be had');
  expect((await pointsman('--help')).stdout).toMatch(/^Usage: pointsman[\s\S]*\n {2}rollout /);
  // The schemas that ship are those of the contract that ships.
  expect(await pointsman('schemas', 'check')).toMatchObject({ code: 0 });
  // Reading Python: the package within the package, with its grammar.
  mkdirSync(join(elsewhere, 'project'));
  const source =
    'LIMIT = 3\n\n\ndef low(n):\n    return n < LIMIT\n\n\ndef all_low(ns):\n    return all(low(n) for n in ns)\n';
  writeFileSync(join(elsewhere, 'project', 'numbers.py'), source);
  const { stdout } = await pointsman('functions', 'slice', 'project', 'numbers.all_low');
  for (const part of ['LIMIT', 'low', 'all_low']) expect(stdout).toContain(part);
}, 300_000);

/** Sentences are broken where the terminal ends. */
const unwrapped = (text: string) => text.replace(/\s+/g, ' ');

inFull(
  'the demo: scripted models, a killed worker, one command once, resolved',
  async () => {
    const since = Date.now();
    const { code, stdout, stderr } = await pointsman('demo', 'rollout');
    figures('demo', { seconds: (Date.now() - since) / 1000 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    const told = unwrapped(stdout);
    expect(told).toMatch(/Both models are SCRIPTED/);
    const pid = /worker (\d+) killed with SIGKILL while turn 5 runs/.exec(told)?.[1];
    expect(pid).toBeDefined();
    expect(told).toContain(`(pid ${pid})`);
    expect(told).toMatch(/The command of that turn ran 1 time;/);
    expect(stdout).toMatch(/Verdict: RESOLVED by the hidden tests/);
    expect(stdout).toMatch(
      /workflow start --type rollout --task-queue pointsman-demo --workflow-id by-hand --input '\{.*\}'/,
    );
    expect(stdout).toMatch(/workflow update execute --name handOver --workflow-id by-hand/);
  },
  240_000,
);

test('the demo of the whole pipeline: a killed worker, nothing lost, a data set and a report', async () => {
  const since = Date.now();
  const { code, stdout, stderr } = await pointsman('demo', 'pipeline');
  figures('demo of the pipeline', { seconds: (Date.now() - since) / 1000 });
  expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  expect(unwrapped(stdout)).toMatch(/worker \d+ killed with SIGKILL while \d+ rollouts ran/);
  expect(unwrapped(stdout)).toMatch(/8 rollouts planned, 8 finished, none lost/);
  const page = /the report +file:\/\/(.*index\.html)/.exec(stdout)?.[1];
  expect(readFileSync(page!, 'utf8')).toContain('This is a rehearsal.');
  const checked = await runCli(['dataset', 'check', join(home, 'datasets', 'demo', 'train.universal.jsonl'), '--json']);
  expect(JSON.parse(checked.stdout)).toMatchObject({ problems: [] });
}, 900_000);

/** Its files are type-checked against what was installed, and run in a folder of their own. */
test('a package of a user adds one of each, and a script of his runs a rollout with them', async () => {
  const folder = join(elsewhere, 'user');
  cpSync(join(REPOSITORY, 'test', 'extending', 'user'), folder, { recursive: true });
  const compilerOptions = { module: 'node16', strict: true, noEmit: true, skipLibCheck: true, types: ['node'] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...compilerOptions, typeRoots: [join(REPOSITORY, 'node_modules', '@types')] },
    }),
  );
  const tool = (name: string, ...args: string[]) => ran(join(REPOSITORY, 'node_modules', '.bin', name), args, folder);
  expect(await tool('tsc', '-p', folder)).toMatchObject({ code: 0, stdout: '' });

  env.POINTSMAN_CONFIG = join(folder, 'pointsman.yaml');
  const { stdout: up } = await pointsman('--queue', 'user', 'up', '--rehearsal', join(folder, 'script.yaml'), '--json');
  expect(JSON.parse(up)).toMatchObject({ worker: { queue: 'user', polling: true } });
  const script = await tool('tsx', 'script.ts', 'yamllint-ignore-list');
  expect({ ...script, stdout: JSON.parse(script.stdout || '{}') }).toMatchObject({
    code: 0,
    stdout: {
      status: 'limit_steps',
      workflow: 'completed',
      turns: [
        ['student', 'search', 0],
        ['expert', 'bash', 0],
        ['student', 'bash', 0],
        ['expert', 'bash', 0],
      ],
    },
  });
  const choice = ['--run', 'rollout/user', '--format', 'alpaca', '--unresolved', '--unsubmitted', '--no-parquet'];
  await pointsman('--queue', 'user', 'dataset', 'build', '--name', 'user', ...choice, '--wait');
  const rows = await tool('tsx', 'rows.ts', 'user');
  expect(JSON.parse(rows.stdout)).toMatchObject({ output: expect.stringContaining('"thought":"The tests last."') });
}, 300_000);

test('`pointsman down` stops what the demo left up', async () => {
  const { stdout } = await runCli(['down', '--json'], { env });
  const { stopped } = JSON.parse(stdout) as { stopped: string[] };
  expect(stopped).toEqual([
    'worker',
    'rehearsal',
    "the demo's worker",
    "the demo's scripted models",
    expect.stringContaining('Temporal server'),
  ]);
});

function pointsman(...args: string[]): Promise<Ran> {
  return ran(process.execPath, [command, ...args], elsewhere);
}

function ran(program: string, args: readonly string[], cwd: string): Promise<Ran> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((done, failed) => {
    child.on('error', failed).on('close', (code) => done({ code, stdout, stderr }));
  });
}
