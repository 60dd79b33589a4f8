import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Browser } from 'playwright-core';
import { startDevServer, stopDevServer } from '../../src/machine/dev-server';
import { freePort } from '../../src/machine/ports';
import { temporalBinary } from '../../src/machine/temporal';
import { runCli } from '../cli/run-cli';
import { describeInBrowser, launch } from '../support/chromium';
import { portsOf } from '../support/listening';
import { World } from '../support/world';

const NOBODY = 65_534;
const asRoot = process.getuid?.() === 0;
const describeAsRoot = asRoot ? describe : describe.skip;

/** Runs a program of Node.js as another account of this machine. */
function asNobody(script: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], {
    ...{ uid: NOBODY, gid: NOBODY, cwd: '/', encoding: 'utf8', timeout: 60_000 },
    env: { HOME: '/nonexistent', PATH: process.env.PATH },
  });
  return `${stdout}${stderr}`.trim();
}

let home: string;
let port: number;
let uiPort: number;
beforeAll(async () => {
  const binary = temporalBinary();
  home = mkdtempSync(join(tmpdir(), 'pointsman-borders-'));
  process.env.TEMPORAL_BIN = binary;
  process.env.POINTSMAN_HOME = home;
  [port, uiPort] = [await freePort(), await freePort()];
  await startDevServer({ port, uiPort });
});
afterAll(async () => {
  await stopDevServer(port);
  delete process.env.POINTSMAN_HOME;
  delete process.env.TEMPORAL_BIN;
  rmSync(home, { recursive: true, force: true });
});

/** Ports of the loopback on which the server itself listens, and its UI's. */
function doors(): number[] {
  const pid = Number(readFileSync(join(home, 'run', `temporal-${port}.pid`), 'utf8').split(' ')[0]);
  const found = portsOf(pid);
  expect(found).toContain(port);
  return [...found, uiPort];
}

const START = JSON.stringify({
  workflowType: { name: 'repoSetup' },
  taskQueue: { name: 'pointsman' },
  input: [{ source: 'dir:/root' }],
});

describeAsRoot('another account of the machine', () => {
  test('reads nothing of the home, made by the command line', async () => {
    const own = mkdtempSync(join(tmpdir(), 'pointsman-borders-home-'));
    await runCli(['problem', 'list'], { env: { POINTSMAN_HOME: own } });
    writeFileSync(join(own, 'secret'), 'of the operator');
    const said = asNobody(
      `for (const path of [${JSON.stringify(own)}, ${JSON.stringify(join(own, 'secret'))}])
         try { require('fs').readdirSync(path); console.log('read'); } catch (error) { console.log(error.code); }
       try { require('fs').writeFileSync(${JSON.stringify(join(own, 'pointsman.yaml'))}, ''); console.log('wrote'); }
       catch (error) { console.log(error.code); }`,
    );
    expect(said.split('\n')).toEqual(['EACCES', 'EACCES', 'EACCES']);
    rmSync(own, { recursive: true });
  });

  test('starts no workflow through any HTTP door, whatever host it claims', () => {
    const said = asNobody(`
      const { request } = require('http');
      const ask = (port, host) => new Promise((done) => {
        const headers = { host, 'content-type': 'text/plain', origin: 'http://evil.example' };
        const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/api/v1/namespaces/default/workflows/w', headers, timeout: 3000 },
          (given) => { given.resume(); done(given.statusCode); });
        sent.on('error', () => done('none')).on('timeout', () => { sent.destroy(); done('silent'); });
        sent.end(${JSON.stringify(START)});
      });
      (async () => {
        for (const port of ${JSON.stringify(doors())})
          for (const host of ['evil.example', 'localhost', '127.0.0.1', '127.0.0.1:' + port]) console.log(await ask(port, host));
      })();`);
    const statuses = new Set(said.split('\n'));
    expect(statuses.size).toBeGreaterThan(1);
    expect([...statuses].filter((status) => /^2/.test(status))).toEqual([]);
  });
});

test('a workflow reads no folder that the operator did not name', async () => {
  const world = await World.start({ script: { models: {} }, profiles: { x: {} } });
  try {
    const inputs = {
      repoSetup: { source: 'dir:/etc' },
      grade: { problem: '/etc/passwd', patch: '' },
      campaign: {
        problems: '/etc/passwd',
        methods: [{ name: 'a', expert: 'x', handOver: { at: 0 } }],
      },
      dataset: { name: 'x', sources: [{ rollouts: '/etc/passwd' }], formats: ['openai'], view: { dialect: 'tools' } },
    };
    for (const [type, input] of Object.entries(inputs)) {
      const handle = await world.begin(type, input, `${type}/${randomUUID()}`);
      const failure = await handle.result().then(
        (result: unknown) => JSON.stringify(result),
        (error: Error) =>
          `${error.message} ${(error.cause as Error | undefined)?.message} ${JSON.stringify(error.cause)}`,
      );
      expect([type, failure]).toEqual([type, expect.stringMatching(/is no path that a workflow may have read/)]);
      expect(failure).not.toContain('root:');
    }
  } finally {
    await world.close();
  }
});

describeInBrowser('a web page of somebody else', () => {
  let browser: Browser;
  let site: Server;
  beforeAll(async () => {
    browser = await launch();
    site = createServer((_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end('<p>evil</p>'));
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  });
  afterAll(async () => {
    await browser?.close();
    site?.close();
  });

  test('neither reads a door of the server nor starts anything through it', async () => {
    // Under a name of its own that leads here, as DNS rebinding would have it.
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    const said = await page.evaluate(
      async ([ports, body]) => {
        const found: string[] = [];
        for (const door of ports) {
          const path = `http://127.0.0.1:${door}/api/v1/namespaces/default/workflows/from-page`;
          await fetch(path, { method: 'POST', mode: 'no-cors', body }).catch(() => undefined);
          await fetch(path).then(
            (given) => found.push(`${door} ${given.status}`),
            () => undefined,
          );
        }
        return found;
      },
      [doors(), START] as [number[], string],
    );
    expect(said).toEqual([]);
    const connection = await Connection.connect({ address: `127.0.0.1:${port}` });
    const list = new Client({ connection }).workflow.list();
    const ids: string[] = [];
    for await (const { workflowId } of list) ids.push(workflowId);
    await connection.close();
    expect(ids).toEqual([]);
  });

  test('holds no page of ours in a frame', async () => {
    const page = await (await browser.newContext()).newPage();
    const refused: string[] = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    await page.setContent(`<iframe src="http://127.0.0.1:${uiPort}/"></iframe>`);
    await page.waitForTimeout(2_000);
    expect(refused.join(' ')).toMatch(/frame|X-Frame-Options/i);
  });
});
