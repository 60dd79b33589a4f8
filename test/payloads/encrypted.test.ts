import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RolloutResult } from '../../src/contract';
import { temporalBinary } from '../../src/machine/temporal';
import { newKey, PayloadCipher } from '../../src/payloads';
import { readKeys } from '../../src/payloads/keys';
import { type CodecServing, serveCodec } from '../../src/payloads/server';
import { inputOf } from '../../src/store/history';
import { runCli } from '../cli/run-cli';
import { describeInBrowser, launch } from '../support/chromium';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

/** Of a prompt, a command, its output and an error: what a private repository would not have the server know. */
const CANARIES = [
  'canarystatement',
  'canarythought',
  'canaryoutput',
  'canaryfault',
  'no model profile',
  'dist/activities',
];
const look = { thought: 'canarythought', tool: 'bash', args: { command: 'echo canary""output' } };
const script = {
  models: {
    quick: { turns: [look], end: 'submit' },
    refused: { turns: [look], faults: [{ kind: 'rejected', status: 401, message: 'canaryfault' }] },
  },
};
const keys = newKey(new Date());
const cipher = new PayloadCipher(readKeys('KEYS', keys));
let world: World;
const own = () => world.env as Record<string, string>;
let codec: CodecServing;
beforeAll(async () => {
  world = await World.start({ script, profiles: { quick: {}, refused: {} }, payloadKeys: keys });
  codec = await serveCodec(cipher, { port: 0, secret: 'open-sesame', ui: world.ui });
});
afterAll(async () => {
  await codec?.close();
  await world?.close();
});

test('a rollout goes through, and the server holds nothing of it in clear text', async () => {
  const problem = { ...(await tinyProblem()), statement: 'canarystatement: mend it.' };
  const input = { problem, handOver: { never: true } };
  const [done, refused] = await Promise.all([
    world.begin('rollout', { ...input, student: 'quick' }, 'done'),
    world.begin('rollout', { ...input, student: 'refused' }, 'refused'),
  ]);
  expect(await done.result()).toMatchObject({ status: 'submitted' } satisfies Partial<RolloutResult>);
  expect(await refused.result()).toMatchObject({ detail: expect.stringContaining('canaryfault') });
  // A workflow that fails says why in a failure's own message, with its stack.
  const wrong = await world.begin('rollout', { ...input, student: 'elsewhere' }, 'wrong');
  const why = expect.stringContaining('no model profile "elsewhere"');
  await expect(wrong.result()).rejects.toMatchObject({ cause: { cause: { message: why } } });

  const database = readdirSync(world.home)
    .filter((name) => name.startsWith('temporal.db'))
    .map((name) => readFileSync(join(world.home, name)));
  const searched = [...database, readFileSync(join(world.home, 'server.log'))];
  const seen = CANARIES.filter((word) => searched.some((bytes) => bytes.includes(word)));
  expect({ files: database.length > 0, seen }).toEqual({ files: true, seen: [] });
  expect(searched.some((bytes) => bytes.includes('encryption-key-id'))).toBe(true);
});

test('whoever has the key reads it: histories, the command line', async () => {
  const handle = world.client.workflow.getHandle('done');
  expect(await inputOf(handle)).toMatchObject({ problem: { statement: 'canarystatement: mend it.' } });
  const shown = await runCli(['rollout', 'show', 'done'], { env: own() });
  expect(shown.stdout).toContain('canarythought');
  const without = await runCli(['rollout', 'list'], { env: { ...own(), WORLD_PAYLOAD_KEYS: newKey(new Date(0)) } });
  expect(without.code).toBe(1);
  expect(without.stderr).toMatch(/encrypted with the key "k[\d-]+", which is not known here/);
});

test('the Temporal CLI reads it through `codec serve`, and others read nothing', async () => {
  // Not synchronously: what it asks is answered by this process.
  const ask = async (...args: string[]) => {
    const where = ['--address', world.address, '--namespace', world.namespace];
    return (await promisify(execFile)(temporalBinary()!, [...args, ...where], { encoding: 'utf8' })).stdout;
  };
  const workflow = ['workflow', 'show', '--workflow-id', 'done', '--output', 'json'];
  const textIn = (json: string) =>
    [...json.matchAll(/"data": "([^"]*)"/g)]
      .map(([, data]) => Buffer.from(data!, 'base64').toString('utf8'))
      .join('\n');
  expect(textIn(await ask(...workflow))).not.toContain('canary');
  expect(textIn(await ask(...workflow, '--codec-endpoint', codec.url))).toContain('canarystatement');
});

describeInBrowser('the Temporal UI', () => {
  test('shows what a run was given once it is told of the codec server, and not before', async () => {
    const browser = await launch();
    try {
      const page = await browser.newPage();
      const address = `${world.ui}/namespaces/${world.namespace}/workflows/done`;
      await page.goto(address);
      await page
        .getByText(/[\w+/]{50,}/)
        .first()
        .waitFor();
      expect(await page.getByText('canarystatement').count()).toBe(0);
      // What its own dialog writes.
      const written = { endpoint: codec.url, overrideRemoteCodecConfiguration: true };
      for (const [name, value] of Object.entries(written)) {
        const text = JSON.stringify(JSON.stringify(value));
        await page.evaluate(`localStorage.setItem('${name}', ${text})`);
      }
      await page.goto(address);
      await page.getByText('canarystatement').first().waitFor();
      expect(await page.getByText('could not connect').count()).toBe(0);
    } finally {
      await browser.close();
    }
  });
});

test('it answers the UI that it was told of and programs, with its secret alone', async () => {
  const [sealed] = await cipher.encode([
    { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"x"') },
  ]);
  const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes!).toString('base64');
  const names = Object.entries(sealed!.metadata!).map(([name, value]) => [name, base64(value)]);
  const body = JSON.stringify({ payloads: [{ metadata: Object.fromEntries(names), data: base64(sealed!.data) }] });
  const post = (url: string, headers: Record<string, string> = {}) => fetch(url, { method: 'POST', body, headers });

  const read = await post(`${codec.url}/decode`, { origin: world.ui });
  expect(read.headers.get('access-control-allow-origin')).toBe(world.ui);
  expect(await read.json()).toEqual({
    payloads: [{ metadata: { encoding: base64(Buffer.from('json/plain')) }, data: base64(Buffer.from('"x"')) }],
  });
  const asked = await fetch(`${codec.url}/decode`, { method: 'OPTIONS', headers: { origin: world.ui } });
  expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([
    204,
    'authorization, content-type, x-namespace',
  ]);
  const statuses = await Promise.all([
    post(`${codec.url}/decode`, { origin: 'http://evil.example' }),
    post(`${new URL(codec.url).origin}/guessed/decode`),
    post(`${new URL(codec.url).origin}/decode`),
    post(`${codec.url}/erase`),
    fetch(`${codec.url}/decode`),
  ]).then((answers) => answers.map(({ status }) => status));
  expect(statuses).toEqual([403, 404, 404, 404, 404]);
});
