import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type {
  CovariateShiftProgress,
  CovariateShiftResult,
  FailureAnalysisProgress,
  FailureAnalysisResult,
  FailureVerdict,
} from '../../src/contract';
import { FULL, inFull, minutes } from '../support/counts';
import { type SampleCampaign, writeSampleCampaign } from '../support/sample-campaign';
import { World } from '../support/world';

const PRICE = { input: 10, output: 20 };

/** Stands before the rehearsal's `/embeddings`: refuses every third request as a provider does, and counts. */
class Limited {
  requests = 0;
  refused = 0;
  answered = 0;
  readonly texts: string[] = [];
  latencyMs = 0;

  private constructor(private readonly server: Server) {}

  static async start(upstream: () => string): Promise<Limited> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const body = Buffer.concat(chunks).toString('utf8');
        limited.requests += 1;
        if (limited.requests % 3 === 0) {
          limited.refused += 1;
          response.writeHead(429, { 'content-type': 'application/json', 'retry-after-ms': '50' });
          return response.end('{"error":{"message":"too many requests","type":"rate_limit"}}');
        }
        await sleep(limited.latencyMs);
        const answer = await fetch(`${upstream()}${request.url?.replace(/^\/v1/, '')}`, { method: 'POST', body });
        limited.texts.push(...(JSON.parse(body) as { input: string[] }).input);
        limited.answered += 1;
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(await answer.text());
      });
    });
    const limited = new Limited(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return limited;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  close(): Promise<unknown> {
    return new Promise((resolve) => this.server.close(resolve));
  }
}

let world: World;
let limited: Limited;
let sample: SampleCampaign;

beforeAll(async () => {
  limited = await Limited.start(() => world.rehearsal.url);
  const reply =
    '<description>It changed `core.py`, which is not where the sum is made.</description>\n\nidentified_incorrect_file';
  const script = {
    models: {
      judge: { turns: [], end: { raw: reply }, faults: [{ kind: 'rateLimit', every: 4, retryAfter: { ms: 50 } }] },
      vague: { turns: [], end: { raw: 'I really cannot tell.' } },
      vectors: { turns: [] },
    },
  };
  const profiles = {
    judge: { price: PRICE, maxOutputTokens: 400 },
    vague: {},
    vectors: { price: PRICE, baseUrl: limited.url, contextTokens: 2_000 },
  };
  world = await World.start({ script, profiles });
  sample = await writeSampleCampaign(world.home, { rollouts: 108, instances: 3, steps: [4, 12] });
}, 240_000);
afterAll(async () => {
  await world?.close();
  await limited?.close();
});

const shiftInput = (more: object = {}) => ({
  expert: { name: 'expert', source: { campaign: sample.campaign }, method: 'bc' },
  students: [{ name: 'student', source: { campaign: sample.campaign }, method: 'on-policy' }],
  permutations: 20,
  replicateSize: 5,
  ...more,
});
const shift = async (id: string, more: object = {}): Promise<CovariateShiftResult> =>
  (await (await world.begin('covariateShift', shiftInput(more), id)).result()) as CovariateShiftResult;
const failures = async (id: string, more: object = {}): Promise<FailureAnalysisResult> =>
  (await (
    await world.begin('failureAnalysis', { sources: [{ campaign: sample.campaign }], ...more }, id)
  ).result()) as FailureAnalysisResult;
const verdictsOf = async ({ failures: { sha256 } }: FailureAnalysisResult): Promise<FailureVerdict[]> =>
  (await world.blobs.get(sha256))
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FailureVerdict);
const bytesOf = ({ folder }: { folder: string }) =>
  readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
/** Without what names the run. */
const figuresOf = ({ id, folder, files, ...figures }: CovariateShiftResult | FailureAnalysisResult) => figures;

async function until<Progress>(handle: WorkflowHandle, holds: (seen: Progress) => boolean): Promise<Progress> {
  for (let waited = 0; waited < 90_000; waited += 50) {
    const seen = await handle.query<Progress>('progress').catch(() => undefined);
    if (seen && holds(seen)) return seen;
    await sleep(50);
  }
  throw new Error(`never: ${holds}; ${JSON.stringify(await handle.query('progress'))}`);
}

test(
  'the shift of a campaign: every turn of every trajectory, files that say how, and the same bytes again',
  async () => {
    const first = await shift('shift/hashed');
    const of = (method: string) => sample.rows.filter((row) => row.method === method && row.result !== null);
    const [experts, students] = [of('bc'), of('on-policy')];
    expect(first.groups).toEqual([
      { name: 'expert', rollouts: experts.length, embedded: experts.length },
      { name: 'student', rollouts: students.length, embedded: students.length },
    ]);
    const running = (rows: typeof experts, turn: number) =>
      rows.filter(({ result }) => result!.turns.total >= turn).length;
    for (const { turn, nStudent, nExpert } of first.points)
      expect([nStudent, nExpert]).toEqual([running(students, turn), running(experts, turn)]);
    expect(first.points.length).toBe(Math.max(...[...experts, ...students].map(({ result }) => result!.turns.total)));
    const [point] = first.points;
    expect(point!.fd2!.low).toBeLessThanOrEqual(point!.fd2!.mean);
    expect(point!.pValue).toBeGreaterThan(0);
    expect(first.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'README.md',
        'points.csv',
        'shift-fd.csv',
        'shift-fd.svg',
        'shift-kl.svg',
        'shift-n.svg',
        'shift-p.svg',
        'shift-pca.svg',
      ]),
    );
    const csv = readFileSync(join(first.folder, 'points.csv'), 'utf8').trim().split('\r\n');
    expect(csv.length).toBe(first.points.length + 1);
    expect(readFileSync(join(first.folder, 'shift-fd.svg'), 'utf8')).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/,
    );
    expect(readFileSync(join(first.folder, 'README.md'), 'utf8')).toContain('spelling, not meaning');

    const again = await shift('shift/again');
    expect(figuresOf(again)).toEqual(figuresOf(first));
    const perInstance = await shift('shift/instances', {
      over: 'per_instance',
      instances: first.instances.slice(0, 2),
    });
    expect(perInstance.instances).toEqual(first.instances.slice(0, 2));
  },
  minutes(4, 4),
);

inFull(
  'embeddings of a model: refusals are absorbed, a killed worker changes no byte, and nothing is paid for twice',
  async () => {
    const input = { embedding: 'vectors', maxTurns: 6, permutations: 0, costUsd: 50, concurrency: 3 };
    const calm = await shift('shift/calm', input);
    expect(limited.refused).toBeGreaterThan(5);
    expect(calm.dimensions).toBe(256);
    expect(calm.cost.usd).toBeGreaterThan(0);
    // As many tokens as the profile reads, the last ones.
    expect(Math.max(...limited.texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(2_000 * 3);
    const paid = limited.answered;
    const free = await shift('shift/free', { ...input, costUsd: 0.000001 });
    expect(limited.answered).toBe(paid);
    expect({ ...figuresOf(free), cost: calm.cost }).toEqual(figuresOf(calm));
    expect(free.cost).toEqual({ usd: 0, tokens: 0 });

    // Other texts, so that they are asked for anew; then the same with kills.
    limited.latencyMs = 150;
    const other = { ...input, maxTurns: 5, embedTokens: 1_000 };
    const handle = await world.begin('covariateShift', shiftInput(other), 'shift/killed');
    for (const at of FULL ? [5, 20] : [10]) {
      await until<CovariateShiftProgress>(handle, ({ embedded }) => embedded >= at);
      await world.killWorkers('SIGKILL');
      world.startWorker();
      await world.workerReady();
    }
    const killed = (await handle.result()) as CovariateShiftResult;
    const asked = limited.answered - paid;
    const trajectories = killed.groups.reduce((sum, { embedded }) => sum + embedded, 0);
    // Beyond one request a trajectory, only those in flight at a kill.
    expect(asked).toBeLessThanOrEqual(trajectories + 2 * input.concurrency);
    limited.latencyMs = 0;
    const unharmed = await shift('shift/unharmed', other);
    expect({ ...figuresOf(unharmed), cost: killed.cost }).toEqual(figuresOf(killed));
  },
  minutes(6, 6),
);

test(
  'failures by rules: what was made to fail is found, the tables add up',
  async () => {
    const result = await failures('failures/rules');
    const verdicts = await verdictsOf(result);
    const failed = sample.rows.filter(({ result: ran }) => ran?.resolved === false);
    expect(verdicts.map(({ id }) => id)).toEqual(failed.map(({ id }) => id).sort());
    for (const { id, category } of verdicts) {
      const kind = sample.kinds.get(id)!;
      if (kind === 'format') expect(category).toBe('tool_error');
      if (['wrong', 'empty', 'misfit'].includes(kind)) expect(category).toBe('other');
    }
    for (const { rollouts, resolved, submitted, notSubmitted, whenSubmitted, whenNotSubmitted } of result.table) {
      const sum = (counts: object) => Object.values(counts).reduce((total: number, n: number) => total + n, 0);
      expect([sum(whenSubmitted), sum(whenNotSubmitted)]).toEqual([submitted, notSubmitted]);
      expect(resolved + submitted + notSubmitted).toBe(rollouts);
    }
    expect(result.buckets.map(({ method }) => method)).toEqual(['oec', 'oec', 'oec']);
    expect(result.notJudged).toBe(0);
    expect(bytesOf(result).map(([name]) => name)).toEqual([
      'README.md',
      'buckets.csv',
      'categories.csv',
      'failures.csv',
      'failures.jsonl',
    ]);
  },
  minutes(3, 3),
);

test(
  'failures by a model: asked once each through refusals and a kill; a reply that says nothing is marked',
  async () => {
    const before = world.rehearsal.stats();
    const handle = await world.begin(
      'failureAnalysis',
      { sources: [{ campaign: sample.campaign }], methods: ['bc', 'oec'], judge: 'judge', costUsd: 20, concurrency: 2 },
      'failures/model',
    );
    await until<FailureAnalysisProgress>(handle, ({ judged }) => judged >= 3);
    await world.killWorkers('SIGKILL');
    world.startWorker();
    const result = (await handle.result()) as FailureAnalysisResult;
    const verdicts = await verdictsOf(result);
    expect(verdicts.length).toBeGreaterThan(10);
    expect(new Set(verdicts.map(({ category }) => category))).toEqual(new Set(['identified_incorrect_file']));
    expect(verdicts[0]!.description).toBe('It changed `core.py`, which is not where the sum is made.');
    expect(result.cost.usd).toBeGreaterThan(0);
    const { requests, faults } = world.rehearsal.stats();
    const refused = (faults.rateLimit ?? 0) - (before.faults.rateLimit ?? 0);
    expect(requests - before.requests - refused).toBeLessThanOrEqual(verdicts.length + 2);

    const vague = await verdictsOf(await failures('failures/vague', { judge: 'vague', methods: ['on-policy'] }));
    expect(vague.every(({ category }) => category === 'unreadable')).toBe(true);
    expect(vague[0]!.description).toBe('I really cannot tell.');
  },
  minutes(4, 4),
);

test(
  'a budget that is spent parks the run, a higher one lets it go on, and bad input is refused with what to do',
  async () => {
    const handle = await world.begin(
      'failureAnalysis',
      // Several at once: some of them wait for the budget with the old cap when it is raised.
      { sources: [{ campaign: sample.campaign }], judge: 'judge', costUsd: 0.1, concurrency: 6 },
      'failures/budget',
    );
    const phase = async () => {
      const attributes = (await handle.describe()).typedSearchAttributes.getAll();
      return String(attributes.find(({ key }) => key.name === 'Phase')?.value);
    };
    const by = Date.now() + 90_000;
    while ((await phase()) !== 'Parked') {
      if (Date.now() > by) throw new Error(`never parked: ${await phase()}`);
      await sleep(100);
    }
    const parked = await handle.query<FailureAnalysisProgress>('progress');
    expect(parked.cost.usd).toBeLessThanOrEqual(0.1);
    await handle.executeUpdate('setBudget', { args: [{ costUsd: 30 }] });
    await handle.executeUpdate('resume');
    while ((await phase()) !== 'Done') {
      expect(await phase()).not.toBe('Parked');
      await sleep(100);
    }
    expect(((await handle.result()) as FailureAnalysisResult).notJudged).toBe(0);

    const refused = async (type: string, input: object, id: string) =>
      (await world.begin(type, input, id)).result().then(
        () => 'taken',
        (error: Error) => {
          let cause = error;
          while (cause.cause instanceof Error) cause = cause.cause;
          return cause.message;
        },
      );
    expect(
      await refused(
        'covariateShift',
        shiftInput({ students: [{ name: 'student', source: { campaign: sample.campaign }, method: 'onpolicy' }] }),
        'shift/method',
      ),
    ).toMatch(/no rollout of method "onpolicy", did you mean "on-policy"/);
    expect(
      await refused(
        'covariateShift',
        shiftInput({ view: { dialect: 'xml', history: { kind: 'last_n_observations', n: 5 } } }),
        'shift/view',
      ),
    ).toMatch(/view\.history/);
    expect(await refused('covariateShift', shiftInput({ instances: ['nowhere'] }), 'shift/nowhere')).toMatch(
      /distribution needs 2 at least/,
    );
    expect(
      await refused('failureAnalysis', { sources: [{ campaign: 'campaign/smaple' }] }, 'failures/unknown'),
    ).toMatch(/did you mean "campaign\/sample"/);
  },
  minutes(4, 4),
);
