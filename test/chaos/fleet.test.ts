import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignResult, Drained, PipelineResult, RolloutRow } from '../../src/contract';
import { freePort } from '../../src/machine/ports';
import { DockerSandboxes } from '../../src/sandbox/docker/sandboxes';
import { LABEL } from '../../src/sandbox/labels';
import { runCli } from '../cli/run-cli';
import { pastTurn } from '../support/chaos';
import { inFull } from '../support/counts';
import { figures } from '../support/figures';
import { debianPostgres, type RunningPostgres } from '../support/postgres';
import { type Fate, openProxy } from '../support/proxy';
import { type ImageRegistry, openRegistry } from '../support/registry';
import { type RunningS3, s3Server } from '../support/s3-server';
import { type SecondEngine, startSecondEngine } from '../support/second-engine';
import { folderOf, removeFolders } from '../support/set-up';
import { MEND_CONVERT, SHOPKIT } from '../support/shopkit';
import { World } from '../support/world';

const BASE = 'pointsman/base:bookworm-2';
const look = (command: string) => ({ thought: 'I look.', tool: 'bash', args: { command: `${command}; sleep 0.5` } });
const script = {
  models: {
    student: { dialect: 'xml', turns: [look('ls'), look('cat README.md'), look('ls shopkit')], end: 'repeat' },
    expert: { dialect: 'tools', position: 'match', turns: [look('pwd'), MEND_CONVERT], end: 'submit' },
    spender: { turns: [], generate: { steps: 400, command: 'echo {k}' }, latencyMs: 100 },
  },
};
/**
 * Rollouts of a line, half of them with an expert who takes over. On a commit, hosts of one engine are tried (`test/hosts`), and
 * the stores that they share (`test/e2e/shared-stores`).
 */
const ROLLOUTS = 40;
const CAP = 0.5;

let postgres: RunningPostgres;
let s3: RunningS3;
let registry: ImageRegistry;
/** By the host that it stands beside; `a` has the machine's own. */
const engines: Record<string, SecondEngine> = {};
let world: World;
let proxy: { close(): Promise<void> };
/** What becomes of requests to the bucket. */
let weather: () => Fate = () => ({});
const workers: Record<string, ChildProcess> = {};
const folder = mkdtempSync(join(tmpdir(), 'pointsman-fleet-'));
const homeOf = (host: string) => join(folder, host);

/** A host with an empty home, and an engine of its own where one was started for it. */
function hostJoins(host: string): void {
  mkdirSync(homeOf(host), { recursive: true });
  workers[host] = world.startWorker({
    POINTSMAN_HOME: homeOf(host),
    POINTSMAN_HOST: host,
    POINTSMAN_ONLY_HOST: '0',
    ...(engines[host] ? { DOCKER_HOST: engines[host].host } : {}),
  });
}

async function engineFor(host: string): Promise<void> {
  engines[host] = await startSecondEngine();
  engines[host].lend(registry.port);
}

/** The command line of a host that runs nothing. */
async function answer<T>(...args: readonly string[]): Promise<T> {
  const kept = ['POINTSMAN_CONFIG', 'POINTSMAN_QUEUE', 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'];
  const env = Object.fromEntries(kept.map((name) => [name, world.env[name]!]));
  mkdirSync(homeOf('desk'), { recursive: true });
  const { code, stdout, stderr } = await runCli([...args, '--json'], {
    env: { ...env, POINTSMAN_HOME: homeOf('desk') },
  });
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

/** Runs a line to its end. */
async function line(id: string, input: object): Promise<PipelineResult> {
  const file = join(folder, `${id}.json`);
  writeFileSync(file, JSON.stringify({ name: id, ...input }));
  return answer<PipelineResult>('pipeline', 'start', '--input', file, '--id', id, '--wait');
}

beforeAll(async () => {
  [postgres, s3, registry] = await Promise.all([debianPostgres(), s3Server(), openRegistry()]);
  await engineFor('b');
  process.env.FLEET_DATABASE_URL = await postgres.database('fleet');
  const port = await freePort();
  proxy = await openProxy(port, s3.port, () => weather());
  await new DockerSandboxes('test-fleet', undefined, { registry: registry.place }).images.share(BASE);
  const profiles = {
    student: { view: { dialect: 'xml' } },
    expert: { view: { dialect: 'tools' } },
    spender: { price: { input: 10, cachedInput: 10, output: 20 }, maxOutputTokens: 500 },
  };
  world = await World.start({
    script,
    profiles,
    workers: 0,
    config: {
      store: {
        shared: {
          database: 'FLEET_DATABASE_URL',
          s3: { ...s3.place('runs'), endpoint: `http://127.0.0.1:${port}` },
        },
      },
      images: { registry: registry.place },
      sources: { roots: [] },
      // So few that every host has some.
      worker: { sandboxes: 6, janitorMinutes: 0 },
    },
  });
  for (const host of ['a', 'b']) hostJoins(host);
  await world.workerReady();
}, 10 * 60_000);
afterAll(async () => {
  await world?.close();
  await proxy?.close();
  await Promise.all([...new Set(Object.values(engines))].map((engine) => engine.close()));
  await Promise.all([registry?.close(), s3?.remove(), postgres?.stop()]);
  removeFolders();
  rmSync(folder, { recursive: true, force: true });
});

/** The same line each time, but for its name: from problems that are built to a data set and a report. */
const rest = {
  repositories: [{ build: 'made/build/1' }],
  campaign: {
    methods: [
      { name: 'oec', student: 'student', expert: 'expert', handOver: { uniform: [0, 3] }, passes: ROLLOUTS / 2 },
      { name: 'bc', expert: 'expert', handOver: { at: 0 }, passes: ROLLOUTS / 4 },
      { name: 'on-policy', student: 'student', handOver: { never: true }, passes: ROLLOUTS / 4 },
    ],
    limits: { steps: 8 },
    concurrency: 8,
  },
  dataset: { perInstance: null, deduplicate: false, formats: ['universal', 'trl'] },
  report: { title: 'A line', rehearsal: true },
};

interface Made {
  readonly rows: readonly object[];
  /** Digests of the data set's files, their lines sorted. */
  readonly files: Readonly<Record<string, string>>;
  readonly recovered: { readonly sandboxes: number; readonly redoneSteps: number };
}

/** What a line left, without its name, its times and what was done again. */
async function madeBy(id: string, { campaign, report }: PipelineResult): Promise<Made> {
  const env = { ...world.env, POINTSMAN_HOME: homeOf('desk') } as Record<string, string>;
  const exported = await runCli(['campaign', 'export', campaign!.id], { env });
  const rows = exported.stdout
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text) as RolloutRow);
  const recovered = { sandboxes: 0, redoneSteps: 0 };
  for (const { result } of rows) {
    recovered.sandboxes += result?.recovered.sandboxes ?? 0;
    recovered.redoneSteps += result?.recovered.redoneSteps ?? 0;
  }
  const to = join(folder, `set-${id}`);
  await answer('dataset', 'fetch', id, '--to', to);
  await answer('report', 'fetch', id, '--to', join(folder, `report-${id}`));
  expect(existsSync(join(folder, `report-${id}`, report!.page.path))).toBe(true);
  const names = readdirSync(to).filter((name) => name.endsWith('.jsonl'));
  const named = (text: string) => text.replaceAll(`${id}/`, 'line/');
  return {
    rows: rows.map(({ id: name, outcome, result }) => ({
      id: named(name),
      outcome,
      status: result?.status,
      head: result?.head,
      patch: result?.patch,
      workspace: result?.workspace,
      turns: result?.turns,
      verdict: result?.grade?.verdict,
      resolved: result?.resolved,
    })),
    files: Object.fromEntries(
      names.map((name) => {
        // Their order is drawn by their names.
        const lines = named(readFileSync(join(to, name), 'utf8'))
          .split('\n')
          .sort();
        return [name, createHash('sha256').update(lines.join('\n')).digest('hex')];
      }),
    ),
    recovered,
  };
}

/** Waits until so many rollouts of a line have begun. */
async function begun(id: string, count: number): Promise<void> {
  const query = `WorkflowType = 'rollout' AND WorkflowId STARTS_WITH '${id}/'`;
  while ((await world.client.workflow.count(query)).count < count) await sleep(200);
}

/** Waits until a host is in the middle of a rollout of a line. */
async function rollingOn(host: string, id: string): Promise<void> {
  const sandboxes = { filters: { label: [`${LABEL.role}=main`] } };
  for (;;) {
    const held = await engines[host]!.docker.listContainers(sandboxes);
    const workflow = held.map(({ Labels }) => Labels[LABEL.workflow]!).find((each) => each.startsWith(`${id}/`));
    if (workflow) return void (await pastTurn(world.client.workflow.getHandle(workflow), 1));
    await sleep(50);
  }
}

let calm: Made;

inFull(
  'from sources that one desk has to problems: the second host has the image of what the first one set up',
  async () => {
    const made = await line('made', {
      repositories: [{ source: `dir:${folderOf({ ...SHOPKIT, 'README.md': '# shopkit\n' }, 'shopkit')}` }],
      setup: { roles: {}, judge: false, reproduce: false, experience: { mode: 'off' } },
      build: { attempts: [{ author: 'builtin:recorded-calls' }], only: ['shopkit.money.convert'] },
      report: null,
    });
    expect(made).toMatchObject({ status: 'complete', problems: 1, stations: [{ admitted: 1 }] });
    const build = made.stations[0]!.build!;
    Object.assign(rest.repositories[0]!, { build });
  },
  6 * 60_000,
);

inFull(
  'an undisturbed line on two hosts',
  async () => {
    const result = await line('calm', rest);
    expect(result).toMatchObject({ status: 'complete', campaign: { counts: { finished: ROLLOUTS, failed: 0 } } });
    calm = await madeBy('calm', result);
    expect(calm.recovered).toEqual({ sandboxes: 0, redoneSteps: 0 });
  },
  15 * 60_000,
);

inFull(
  'a host whose power fails in the middle, with its home: all ends, with the same bytes',
  async () => {
    const running = line('lost', rest);
    await begun('lost', ROLLOUTS / 4);
    await rollingOn('b', 'lost');
    workers.b!.kill('SIGKILL');
    await engines.b!.kill();
    rmSync(homeOf('b'), { recursive: true, force: true });
    const result = await running;
    const made = await madeBy('lost', result);
    figures('19 a host lost with its home', { rollouts: ROLLOUTS, ...made.recovered });
    expect(result.campaign!.counts).toMatchObject({ finished: ROLLOUTS, failed: 0 });
    expect(made.recovered.sandboxes).toBeGreaterThan(0);
    expect(made.rows).toEqual(calm.rows);
    expect(made.files).toEqual(calm.files);
  },
  20 * 60_000,
);

inFull(
  'a host that joins, without a single image, takes its share',
  async () => {
    const running = line('join', rest);
    await begun('join', 8);
    await engineFor('c');
    const since = Date.now();
    hostJoins('c');
    const seconds = () => (Date.now() - since) / 1000;
    const seen: { toItsWorker?: number; toItsImage?: number; toItsFirst?: number } = {};
    while (!seen.toItsFirst && seconds() < 240) {
      const { docker } = engines.c!;
      const images = await docker.listImages({ filters: { reference: [BASE] } });
      // A rollout's, or a grading's.
      const containers = await docker.listContainers({ all: true, filters: { label: [LABEL.workflow] } });
      if (/"host":"c".*worker ready/.test(world.workerLog())) seen.toItsWorker ??= seconds();
      if (images.length > 0) seen.toItsImage ??= seconds();
      if (containers.length > 0) seen.toItsFirst ??= seconds();
      await sleep(100);
    }
    figures('a third host, seconds', seen);
    expect(seen.toItsFirst).toBeDefined();
    const made = await madeBy('join', await running);
    expect([made.rows, made.files]).toEqual([calm.rows, calm.files]);
  },
  15 * 60_000,
);

inFull(
  'a host that is drained under load hands on what it has: no step is done again',
  async () => {
    const running = line('away', rest);
    await begun('away', ROLLOUTS / 4);
    await rollingOn('c', 'away');
    const drained = await (await world.begin('drain', { host: 'c' }, 'drain-c')).result();
    expect((drained as Drained).runs).toBeGreaterThan(0);
    const made = await madeBy('away', await running);
    expect([made.rows, made.files]).toEqual([calm.rows, calm.files]);
    expect(made.recovered.redoneSteps).toBe(0);
  },
  15 * 60_000,
);

inFull(
  'a busy registry, a bucket that fails and is slow, a database that restarts: a minute of each costs time',
  async () => {
    engines.d = engines.c!;
    hostJoins('d');
    const running = line('wind', rest);
    await begun('wind', 4);
    let asked = 0;
    registry.answerWith(429);
    weather = () => ({ afterMs: 300, ...(++asked % 3 === 0 ? { status: 500 } : {}) });
    await sleep(20_000);
    await postgres.restart(5_000);
    await sleep(35_000);
    weather = () => ({});
    registry.answerWith(undefined);
    const made = await madeBy('wind', await running);
    figures('a minute of bad weather', { requests: asked, ...made.recovered });
    expect(asked).toBeGreaterThan(20);
    expect([made.rows, made.files]).toEqual([calm.rows, calm.files]);
  },
  20 * 60_000,
);

inFull(
  'hosts that race one cap spend no cent more, and book what they spent',
  async () => {
    const { campaign } = rest;
    const result = await line('race', {
      ...rest,
      campaign: {
        ...campaign,
        methods: [{ name: 'spend', student: 'spender', handOver: { never: true }, passes: 16 }],
        limits: { steps: 400 },
        budget: { totalUsd: CAP },
      },
      dataset: undefined,
      report: null,
    });
    const spent = (result.campaign as CampaignResult).cost.usd;
    figures('hosts that race one cap', { capUsd: CAP, spentUsd: spent });
    expect(result.campaign!.status).toBe('budget_exhausted');
    expect(spent).toBeLessThanOrEqual(CAP);
    expect(spent).toBeGreaterThan(0.8 * CAP);
  },
  15 * 60_000,
);
