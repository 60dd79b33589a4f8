import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import type { RolloutResult } from '../../src/contract';
import { freePort } from '../../src/machine/ports';
import { runCli } from '../cli/run-cli';
import { pastTurn, resultOf } from '../support/chaos';
import { examples, inFull, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { debianPostgres, type RunningPostgres } from '../support/postgres';
import { type Fate, openProxy } from '../support/proxy';
import { type RunningS3, s3Server } from '../support/s3-server';
import { type SecondEngine, startSecondEngine } from '../support/second-engine';
import { TINY_TESTS, tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const BASE = 'pointsman/base:bookworm-2';
const ROLLOUTS = examples(3, 40);
/** How long each outage lasts. */
const SECONDS = examples(12, 60);
const bash = (command: string) => ({ thought: 'On.', tool: 'bash', args: { command } });
const script = {
  models: {
    student: {
      turns: [
        bash('echo 1 >> /var/tmp/ran; sed -i s/-/+/ src/calc.py'),
        ...[2, 3, 4, 5].map((k) => bash(`echo ${k} >> /var/tmp/ran; sleep 1`)),
        bash('cat /var/tmp/ran'),
      ],
      end: 'submit',
    },
  },
};
const TURNS = script.models.student.turns.length + 1;

let engine: SecondEngine;
let postgres: RunningPostgres;
let s3: RunningS3;
let proxy: { close(): Promise<void> };
let weather: () => Fate = () => ({});
let world: World;

beforeAll(
  async () => {
    const problem = await tinyProblem();
    [postgres, s3, engine] = await Promise.all([debianPostgres(), s3Server(), startSecondEngine({ diskMiB: 3_000 })]);
    for (const image of [BASE, problem.image]) await engine.docker.loadImage(await new Docker().getImage(image).get());
    process.env.OUTAGES_DATABASE_URL = await postgres.database('outages');
    const port = await freePort();
    proxy = await openProxy(port, s3.port, () => weather());
    world = await World.start({
      script,
      profiles: { student: {} },
      workers: 0,
      env: { DOCKER_HOST: engine.host },
      config: {
        worker: { sandboxes: 8, janitorMinutes: 0, freeDiskGiB: 0.5 },
        store: {
          shared: {
            database: 'OUTAGES_DATABASE_URL',
            s3: { ...s3.place('runs'), endpoint: `http://127.0.0.1:${port}` },
          },
        },
      },
    });
    await pointsman('up');
  },
  minutes(5, 5),
);
afterAll(async () => {
  if (world) await pointsman('down');
  await world?.close();
  await proxy?.close();
  await Promise.all([engine?.close(), s3?.remove(), postgres?.stop()]);
});

async function pointsman(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(args, { env: world.env as Record<string, string> });
  if (code !== 0 && args[0] !== 'status') throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

/** Waits until `pointsman status` says it. */
async function told(line: RegExp): Promise<string> {
  for (const until = Date.now() + 90_000; ; await sleep(500)) {
    const status = await pointsman('status');
    const found = status.split('\n').find((each) => line.test(each));
    if (found) return found;
    if (Date.now() > until) throw new Error(`status does not say ${line}:\n${status}`);
  }
}

async function batch(name: string) {
  const input = {
    problem: { ...(await tinyProblem()), tests: TINY_TESTS },
    student: 'student',
    handOver: { never: true },
  };
  const handles = await Promise.all(
    Array.from({ length: ROLLOUTS }, (_, at) => world.begin('rollout', input, `${name}-${at}`)),
  );
  return { first: handles[0]!, ended: Promise.all(handles.map(resultOf)) };
}

/** What one rollout came to, and so each has to. */
let calm: RolloutResult;

/** All ended as without the outage; nothing ran twice, and nothing is said any more. */
async function unharmed(what: string, outage: string, ending: Promise<RolloutResult[]>): Promise<void> {
  const results = await ending;
  const sum = (of: (result: RolloutResult) => number) => results.reduce((total, each) => total + of(each), 0);
  figures(`20 ${what}`, {
    rollouts: results.length,
    status: outage.trim(),
    sandboxes: sum(({ recovered }) => recovered.sandboxes),
    redoneSteps: sum(({ recovered }) => recovered.redoneSteps),
  });
  calm ??= results[0]!;
  for (const result of results) {
    expect(result).toMatchObject({ status: 'submitted', resolved: true, head: calm.head, workspace: calm.workspace });
    expect(result.turns.total).toBe(TURNS);
  }
  expect(await pointsman('status')).not.toMatch(/try again|takes no new work|parked/);
}

// The first of all: what a host has put into a bucket it need not ask it for again, and all batches are the same.
test(
  'a store that answers 500 for a minute',
  async () => {
    const { first, ended } = await batch('store');
    await pastTurn(first, 1);
    weather = () => ({ status: 500 });
    let line: string;
    try {
      line = await told(/^store .*500/);
      await told(/^ +\d+.* try again, \S+ for one: \w+: /);
      await sleep(SECONDS * 1_000);
    } finally {
      weather = () => ({});
    }
    await unharmed('a store that answers 500', line, ended);
  },
  minutes(5, 15),
);

test(
  'a batch without an outage',
  async () => {
    const { ended } = await batch('calm');
    await unharmed('no outage', await told(/^runs /), ended);
  },
  minutes(3, 10),
);

inFull(
  'an engine whose power fails, and that comes back',
  async () => {
    const { first, ended } = await batch('engine');
    await pastTurn(first, 1);
    await engine.kill();
    const line = await told(/takes no new work for now: what runs sandboxes here does not answer/);
    await sleep(SECONDS * 1_000);
    await engine.restart();
    await unharmed('a killed engine', line, ended);
  },
  minutes(5, 15),
);

inFull(
  'a worker that runs out of memory, and is started again',
  async () => {
    const { first, ended } = await batch('memory');
    await pastTurn(first, 1);
    const { worker } = JSON.parse(await pointsman('status', '--json')) as { worker: { pid: number } };
    outOfMemory(worker.pid);
    const line = await told(/the one started here died: `pointsman up`/);
    await pointsman('up');
    await unharmed('a worker out of memory', line, ended);
  },
  minutes(5, 15),
);

inFull(
  'a disk that is full for a minute',
  async () => {
    const { first, ended } = await batch('disk');
    await pastTurn(first, 1);
    const filler = join(engine.disk, 'filler');
    try {
      execFileSync('bash', ['-c', `cat /dev/zero > '${filler}' || true`], { stdio: 'ignore' });
      const line = await told(/takes no new work for now: .* GiB are free on the engine's disk/);
      await sleep(SECONDS * 1_000);
      rmSync(filler);
      await unharmed('a full disk', line, ended);
    } finally {
      rmSync(filler, { force: true });
    }
  },
  minutes(5, 15),
);

/** The kernel's own way: what the process asks for next is over its limit. */
function outOfMemory(pid: number): void {
  const [root, limit] = existsSync('/sys/fs/cgroup/memory')
    ? ['/sys/fs/cgroup/memory', 'memory.limit_in_bytes']
    : ['/sys/fs/cgroup', 'memory.max'];
  const group = join(root, `pointsman-memory-${pid}`);
  mkdirSync(group);
  writeFileSync(join(group, limit), String(2 * 1024 * 1024));
  writeFileSync(join(group, 'cgroup.procs'), String(pid));
}
