import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporal } from '@temporalio/proto';
import Docker from 'dockerode';
import type { RolloutResult } from '../../src/contract';
import { LABEL } from '../../src/sandbox/labels';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const CANARY = 'sk-canary0123456789abcdefQZ';
const FORMS = [
  CANARY,
  encodeURIComponent(CANARY),
  Buffer.from(CANARY).toString('base64'),
  Buffer.from(CANARY).toString('hex'),
];
const echo = (status: number, more = {}) => ({
  kind: 'rejected',
  status,
  message: 'bad key {authorization} in api_key={authorization}',
  ...more,
});
const look = {
  thought: 'look',
  tool: 'bash',
  args: { command: 'env; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n"; sleep 1' },
};
const script = {
  models: {
    shaky: { turns: [look, { ...look, thought: 'again' }], faults: [echo(500, { first: 2 })] },
    closed: { turns: [look], faults: [echo(401)] },
  },
};
const docker = new Docker();
let world: World;
beforeAll(async () => {
  const keyed = { apiKeyEnv: 'CANARY_KEY' };
  world = await World.start({
    script,
    profiles: { shaky: keyed, closed: keyed },
    env: { CANARY_KEY: CANARY, LOG_LEVEL: 'trace' },
  });
});
afterAll(async () => {
  await world?.close();
});

test("a key in the worker's environment is found nowhere else", async () => {
  const searched: Record<string, number> = {};
  const hits: string[] = [];
  const search = (kind: string, where: string, bytes: Buffer | string) => {
    searched[kind] = (searched[kind] ?? 0) + 1;
    if (FORMS.some((form) => bytes.includes(form))) hits.push(`${kind} ${where}`);
  };
  const input = {
    problem: await tinyProblem(),
    handOver: { never: true },
    grade: false,
    sandbox: { checkpointEvery: 1 },
  };
  const shaky = await world.begin('rollout', { ...input, student: 'shaky' }, 'shaky');
  const closed = await world.begin('rollout', { ...input, student: 'closed' }, 'closed');
  let over = false;
  const results = Promise.all([shaky.result(), closed.result()]).finally(() => {
    over = true;
  });
  while (!over) {
    const filters = { label: [`${LABEL.workflow}=shaky`] };
    for (const { Id } of await docker.listContainers({ all: true, filters })) {
      const found = await docker
        .getContainer(Id)
        .inspect()
        .catch(() => undefined);
      if (found) search('container', Id, JSON.stringify(found));
    }
    for (const { Id } of await docker.listImages({ filters })) {
      const found = await docker
        .getImage(Id)
        .inspect()
        .catch(() => undefined);
      if (found) search('image', Id, JSON.stringify(found));
    }
    await sleep(200);
  }
  const [done, refused] = (await results) as RolloutResult[];
  expect(done).toMatchObject({ status: 'submitted' });
  expect(refused).toMatchObject({ status: 'model_rejected', detail: expect.stringContaining('[redacted]') });
  for (const handle of [shaky, closed]) {
    const history = await handle.fetchHistory();
    search(
      'history',
      handle.workflowId,
      Buffer.from(temporal.api.history.v1.History.encode(history as temporal.api.history.v1.IHistory).finish()),
    );
    search('description', handle.workflowId, JSON.stringify((await handle.describe()).raw));
  }
  // Blobs, ledger, budgets, timings, the worker's and the server's logs, and the server's whole database.
  for (const name of readdirSync(world.home, { recursive: true, encoding: 'utf8' })) {
    const file = join(world.home, name);
    if (statSync(file).isFile()) search(name.split('/')[0]!, file, readFileSync(file));
  }
  figures('14 secrets', { hits: hits.length, ...searched });
  expect(searched).toMatchObject({
    container: expect.any(Number),
    image: expect.any(Number),
    blobs: expect.any(Number),
    ledger: expect.any(Number),
    'worker.log': 1,
    'temporal.db': 1,
  });
  expect(hits).toEqual([]);
});
