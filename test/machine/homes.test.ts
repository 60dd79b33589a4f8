import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { stringify } from 'yaml';
import { pointsmanHome } from '../../src/home';
import { isThisHome, nameOf, thisHome, workerIdentity } from '../../src/machine/owner';
import { freePort, holds, isFree } from '../../src/machine/ports';
import { temporalBinary } from '../../src/machine/temporal';
import { type Ran, runCli } from '../cli/run-cli';
import { inFull } from '../support/counts';
import { tinyProblem } from '../support/tiny-problem';

/** Two homes of one account on one machine, each with scripted models that solve the tiny problem in their own words. */
const root = mkdtempSync(join(tmpdir(), 'pointsman-homes-'));
const environment = { ...process.env };
const binary = temporalBinary() ?? '';
let usual = 0;

const home = (name: string) => join(root, name);
/** The command line of a home, as somebody who set nothing else would have it. */
const inHome = (name: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  runCli(args, { env: { ...own(name), ...env } });
function own(name: string): Record<string, string> {
  return { HOME: root, POINTSMAN_HOME: home(name), TEMPORAL_BIN: binary, TEMPORAL_ADDRESS: '' };
}

const script = (word: string) => ({
  models: {
    [word]: {
      turns: [{ thought: word, tool: 'bash', args: { command: `echo ${word} | tee word.txt` } }],
      end: 'submit',
    },
  },
});

beforeAll(async () => {
  usual = await freePort();
  for (const name of ['ann', 'bob']) {
    mkdirSync(home(name), { recursive: true });
    const profiles = { [name]: { provider: 'rehearsal', model: name } };
    const config = { profiles, sources: { roots: [tmpdir()] } };
    writeFileSync(join(home(name), 'pointsman.yaml'), stringify(config));
    writeFileSync(join(home(name), 'script.yaml'), stringify(script(name)));
  }
});
afterAll(async () => {
  for (const name of ['ann', 'bob']) await inHome(name, ['down']);
  process.env = environment;
  rmSync(root, { recursive: true, force: true });
}, 600_000);

async function input(name: string): Promise<string> {
  const file = join(home(name), 'input.json');
  const problem = await tinyProblem('homes');
  writeFileSync(file, JSON.stringify({ problem, student: name, handOver: { never: true }, grade: false }));
  return file;
}

interface Status {
  readonly server: { address: string; answers: boolean; home: string | null; foreign: boolean; ui: string | null };
  readonly worker: { polling: boolean; otherHomes: readonly string[] };
}

async function up(name: string, ...more: string[]): Promise<Status> {
  const ran = await inHome(name, ['up', '--json', '--rehearsal', join(home(name), 'script.yaml'), ...more]);
  if (ran.code !== 0) throw new Error(`${ran.stdout}${ran.stderr}`);
  return JSON.parse(ran.stdout);
}

test('two homes side by side: a port each, remembered; each knows its own runs, and says whose the other is', async () => {
  const [ann, bob] = [await up('ann', '--port', `${usual}`), await up('bob', '--port', `${await freePort()}`)];
  expect(ann.server).toMatchObject({ address: `127.0.0.1:${usual}`, home: home('ann'), foreign: false });
  expect(ann.server.ui).toMatch(/^http:/);
  expect(bob.server).toMatchObject({ home: home('bob'), foreign: false });
  expect(bob.server.address).not.toBe(ann.server.address);

  const start = async (name: string) =>
    inHome(name, ['rollout', 'start', '-i', await input(name), '--id', `r/${name}`, '--wait', '--json']);
  const ended = await Promise.all([start('ann'), start('bob')]);
  for (const ran of ended) {
    if (ran.code !== 0) throw new Error(`${ran.stdout}${ran.stderr}`);
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'submitted' });
  }
  // The words to copy lead to the same server.
  expect(ended[1]!.stderr).toContain(`TEMPORAL_ADDRESS=${bob.server.address} `);
  const shown = await inHome('bob', ['rollout', 'show', 'r/bob', '--json']);
  expect(JSON.parse(shown.stdout).turns).toMatchObject([{ thought: 'bob', observation: 'bob\n' }, {}]);

  const elsewhere = { TEMPORAL_ADDRESS: ann.server.address };
  for (const args of [['rollout', 'list'], ['up'], ['worker', 'start']]) {
    const refused = await inHome('bob', args, elsewhere);
    expect([args, refused.code]).toEqual([args, 1]);
    expect(refused.stderr).toContain(`belongs to another home, ${home('ann')}; this home is ${home('bob')}`);
    expect(refused.stderr).toContain(`POINTSMAN_HOME=${home('ann')}`);
  }
  for (const args of [['status'], ['doctor']]) {
    const looked = await inHome('bob', args, elsewhere);
    expect(looked.code).toBe(1);
    expect(looked.stdout).toContain(`belongs to another home, ${home('ann')}`);
  }
  const status = await inHome('bob', ['status']);
  expect(status.code).toBe(0);
  expect(status.stdout).toContain(`${bob.server.address} answers, this home's own`);
  expect((await inHome('bob', ['up', '--port', `${usual}`])).stderr).toContain('the server of this home runs on port');
}, 600_000);

test('a configuration that the worker has not read: said by what needs it, read again by `up`', async () => {
  const file = join(home('bob'), 'pointsman.yaml');
  const before = readFileSync(file, 'utf8');
  writeFileSync(file, before.replace('profiles:', 'profiles:\n  fresh: { provider: rehearsal, model: bob }'));
  const start = async (id: string) => {
    const given = JSON.parse(readFileSync(await input('bob'), 'utf8'));
    writeFileSync(join(home('bob'), 'fresh.json'), JSON.stringify({ ...given, student: 'fresh' }));
    return inHome('bob', ['rollout', 'start', '-i', join(home('bob'), 'fresh.json'), '--id', id, '--wait', '--json']);
  };
  const early = await start('r/early');
  expect(early.stderr).toContain(`${file} has changed since the worker read it`);
  expect(early.stderr).toContain('`pointsman up` starts it again');
  expect((await inHome('bob', ['status'])).stdout).toContain(`${file} has changed since the worker read it`);
  const again = await inHome('bob', ['up', '--json']);
  expect(JSON.parse(again.stdout).worker).toMatchObject({ polling: true, stale: null });
  const late = await start('r/late');
  expect(late.stderr).not.toContain('has changed');
  expect(JSON.parse(late.stdout)).toMatchObject({ status: 'submitted' });
}, 600_000);

test('what only looks, or steers, starts no server: it says that none runs, and what starts it', async () => {
  await inHome('bob', ['down']);
  for (const args of [
    ['campaign', 'list'],
    ['rollout', 'watch', 'r/bob'],
    ['rollout', 'pause', 'r/bob'],
    ['history', 'export', '--out', home('out')],
  ]) {
    const looked = await inHome('bob', args);
    expect([args, looked.code]).toEqual([args, 1]);
    expect(looked.stderr).toMatch(
      /^Unavailable: no Temporal server runs at 127\.0\.0\.1:\d+\n {2}→ `pointsman up` starts it/,
    );
  }
  expect(JSON.parse((await inHome('bob', ['status', '--json'])).stdout).server.answers).toBe(false);
}, 600_000);

inFull(
  'a port that another home took meanwhile: another one, the same database',
  async () => {
    await inHome('bob', ['down']);
    const { port } = JSON.parse(readFileSync(join(home('bob'), 'run', 'server.json'), 'utf8'));
    const other = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    try {
      const refused = await inHome('bob', ['up', '--port', `${usual}`]);
      expect(refused.stderr).toContain(`port ${usual}: the server of another home, ${home('ann')}, is there`);
      const bob = await up('bob');
      expect(bob.server.address).not.toBe(`127.0.0.1:${port}`);
      const { stdout } = await inHome('bob', ['rollout', 'list', '--json']);
      expect(JSON.parse(stdout).rollouts.map(({ id }: { id: string }) => id)).toContain('r/bob');
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  },
  600_000,
);

test('on a server of no home: a worker of another home is named before anything is started', async () => {
  const { server } = JSON.parse((await inHome('ann', ['status', '--json'])).stdout) as Status;
  const connection = await Connection.connect({ address: server.address });
  await connection.workflowService.updateNamespace({
    namespace: 'default',
    updateInfo: { data: { 'pointsman.home': '' } },
  });
  await connection.close();
  const elsewhere = { TEMPORAL_ADDRESS: server.address };
  const looked = JSON.parse((await inHome('bob', ['status', '--json'], elsewhere)).stdout) as Status;
  expect(looked).toMatchObject({ server: { home: null, foreign: false }, worker: { otherHomes: [home('ann')] } });
  for (const args of [['up'], ['rollout', 'start', '-i', await input('bob')]]) {
    const refused = await inHome('bob', args, elsewhere);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`is served by the worker of another home, ${home('ann')}`);
  }
  // What it ran can be read, as far as the server has it; what only the other store has is said to be missing.
  const shown = await inHome('bob', ['rollout', 'show', 'r/ann'], elsewhere);
  expect(shown.stdout).not.toContain('did not change');
  expect(shown.stdout.replace(/\s+/g, ' ')).toContain("it is not in this home's store");
  expect(shown.stdout.replace(/\s+/g, ' ')).toContain('A worker of another home wrote it');
}, 600_000);

test('a home that moved is the same, a copy beside it is another', () => {
  process.env.POINTSMAN_HOME = home('first');
  const first = thisHome();
  cpSync(pointsmanHome(), home('copy'), { recursive: true });
  process.env.POINTSMAN_HOME = home('copy');
  expect(thisHome().id).toBe(first.id);
  expect(isThisHome(first)).toBe(false);
  expect(workerIdentity('h')).toBe(`pointsman@h ${first.id}`);
  expect(isThisHome({ id: first.id, path: undefined })).toBe(true);
  expect(nameOf({ id: 'abc', path: undefined })).toBe('abc (of another account or machine)');
  rmSync(home('copy'), { recursive: true });
  renameSync(home('first'), home('copy'));
  expect(isThisHome(first)).toBe(true);
});

test('who holds a port is told from who only would like to', async () => {
  const port = await freePort();
  expect([holds(process.pid, port), await isFree(port)]).toEqual([false, true]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  expect([holds(process.pid, port), holds(process.ppid, port), await isFree(port)]).toEqual([true, false, false]);
  await new Promise((resolve) => server.close(resolve));
});
