import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { REPOSITORY } from '../../src/home';
import { freePort } from '../../src/machine/ports';
import { FULL } from '../support/counts';
import { World } from '../support/world';
import { fail, park } from './waited-workflows';

/** How each noun waits: with `watch`, or with what has no other way to wait. */
const WAITS: Readonly<Record<string, (id: string) => readonly string[]>> = {
  rollout: (id) => ['rollout', 'watch', id],
  repoSetup: (id) => ['setup', 'watch', id],
  campaign: (id) => ['campaign', 'watch', id],
  pipeline: (id) => ['pipeline', 'watch', id],
  evaluation: (id) => ['evaluation', 'watch', id],
  report: (id) => ['report', 'show', id],
};
const TYPES = Object.keys(WAITS);

let world: World;
let worker: Worker;
let running: Promise<void>;

beforeAll(async () => {
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: { logging: { forward: {}, filter: 'OFF' } },
  });
  world = await World.start({ script: { models: {} }, profiles: {}, workers: 0 });
  const { INDEXED_VALUE_TYPE_KEYWORD } = temporal.api.enums.v1.IndexedValueType;
  const searchAttributes = { Phase: INDEXED_VALUE_TYPE_KEYWORD };
  await world.client.connection.operatorService.addSearchAttributes({ namespace: world.namespace, searchAttributes });
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: require.resolve('./waited-workflows'),
    logger: new DefaultLogger('ERROR'),
  });
  const connection = await NativeConnection.connect({ address: world.address });
  const { namespace, queue: taskQueue } = world;
  worker = await Worker.create({ connection, namespace, taskQueue, workflowBundle });
  running = worker.run().finally(() => connection.close());
}, 600_000);
afterAll(async () => {
  worker?.shutdown();
  await running;
  await world?.close();
  await Runtime.instance().shutdown();
}, 300_000);

interface Following {
  /** Once it has said that. */
  says(words: string | RegExp): Promise<void>;
  stop(): void;
  readonly ended: Promise<{ code: number | null; said: string }>;
}

/** The command line while it waits. */
function follow(args: readonly string[], env: NodeJS.ProcessEnv = {}): Following {
  const cli = [`${REPOSITORY}/bin/pointsman`, ...args];
  const child = spawn(process.execPath, cli, { env: { ...world.env, HOME: world.home, ...env }, cwd: world.home });
  let said = '';
  child.stdout.on('data', (chunk) => (said += chunk));
  child.stderr.on('data', (chunk) => (said += chunk));
  const ended = new Promise<{ code: number | null; said: string }>((done) => {
    child.on('close', (code) => done({ code, said }));
  });
  return {
    ended,
    stop: () => void child.kill(),
    says: async (words) => {
      while (!said.match(words)) {
        if (child.exitCode !== null) throw new Error(`it ended without saying ${words}: ${said}`);
        await sleep(50);
      }
    },
  };
}

async function begin(type: string, id: string, timeout?: string): Promise<WorkflowHandle> {
  return world.client.workflow.start(type, {
    taskQueue: world.queue,
    workflowId: id,
    workflowRunTimeout: timeout as '8 seconds' | undefined,
  });
}

const ENDINGS: Readonly<Record<string, { end(handle: WorkflowHandle): Promise<unknown>; says: RegExp }>> = {
  failed: { end: (handle) => handle.signal(fail, 'the engine is gone'), says: /the engine is gone/ },
  cancelled: { end: (handle) => handle.cancel(), says: /was cancelled/ },
  terminated: { end: (handle) => handle.terminate('enough of it'), says: /was terminated: enough of it/ },
  'timed out': { end: async () => {}, says: /ran out of its time/ },
  parked: { end: (handle) => handle.signal(park), says: /is parked/ },
  deleted: {
    end: async ({ workflowId }) =>
      world.client.workflowService.deleteWorkflowExecution({
        namespace: world.namespace,
        workflowExecution: { workflowId },
      }),
    says: /there is no|no workflow/,
  },
};

/** Every ending with every noun at full count; on a commit each noun ends in one way. */
const nounsOf = (ending: string): string[] => {
  const endings = Object.keys(ENDINGS);
  return TYPES.filter((_, n) => FULL || endings[n % endings.length] === ending);
};

describe.each(Object.entries(ENDINGS))('%s', (name, { end, says }) => {
  test('before and while somebody waits: every command ends, says why, and fails', async () => {
    const all = nounsOf(name).map(async (type) => {
      const id = `${name.replace(' ', '-')}-${type}`;
      const handle = await begin(type, id, name === 'timed out' ? '8 seconds' : undefined);
      const args = WAITS[type]!(id);
      const watching = follow(args);
      // What has ended already is another way in; a deleted one is no more.
      if (type !== 'report') await watching.says(/./);
      else await sleep(4_000);
      await end(handle);
      const { code, said } = await watching.ended;
      expect([type, said]).toEqual([type, expect.stringMatching(says)]);
      expect([type, code]).toEqual([type, 1]);
      const again = await follow(args).ended;
      expect([type, again.said]).toEqual([type, expect.stringMatching(says)]);
      expect([type, again.code]).toEqual([type, 1]);
    });
    await Promise.all(all);
  }, 600_000);
});

test('a parked one is said to be, with the command that goes on', async () => {
  const handle = await begin('pipeline', 'parked, and told');
  await handle.signal(park);
  const { said } = await follow(['pipeline', 'watch', 'parked, and told']).ended;
  expect(said).toContain("`pointsman pipeline resume 'parked, and told'` goes on");
  const shown = await follow(['pipeline', 'show', 'parked, and told']).ended;
  expect(shown).toMatchObject({ code: 0, said: expect.stringContaining('pointsman pipeline resume') });
}, 300_000);

describe('a campaign with a parked rollout', () => {
  const begun = async (id: string, rollouts: readonly string[]) => {
    const handle = await world.client.workflow.start('campaign', {
      taskQueue: world.queue,
      workflowId: id,
      args: [rollouts],
    });
    while ((await world.client.workflow.count(`ParentWorkflowId = '${id}'`)).count < rollouts.length) await sleep(100);
    return handle;
  };
  const rollout = (id: string) => world.client.workflow.getHandle(id);

  test('names it with the command that goes on, and waits for the others', async () => {
    const handle = await begun('one of two', ['one of two/a', 'one of two/b']);
    const watching = follow(['campaign', 'watch', 'one of two']);
    await watching.says(/./);
    await rollout('one of two/a').signal(park);
    await watching.says(/one of two\/a is parked\. .*`pointsman rollout resume 'one of two\/a'` goes on/);
    // Longer than it takes to give up.
    await sleep(12_000);
    await handle.signal(fail, 'it was waited for');
    const { code, said } = await watching.ended;
    expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('it was waited for') });
    expect(said.match(/one of two\/a is parked/g)).toHaveLength(1);
    // Looks leave nothing behind that Node.js would take for a leak.
    expect(said).not.toContain('Warning');
  }, 300_000);

  test('that has no others ends the wait', async () => {
    await begun('all of two', ['all of two/a', 'all of two/b']);
    for (const id of ['all of two/a', 'all of two/b']) await rollout(id).signal(park);
    const { code, said } = await follow(['campaign', 'watch', 'all of two']).ended;
    expect(code).toBe(1);
    expect(said).toMatch(/all of two cannot go on: all of two\/[ab] is parked, as is another/);
    expect(said).toContain('`pointsman rollout resume ');
    expect(said).toContain("`pointsman campaign watch 'all of two'` follows it again");
  }, 300_000);
});

test('one that is reset is followed into its next run', async () => {
  const handle = await begin('pipeline', 'reset');
  const watching = follow(['pipeline', 'watch', 'reset']);
  await watching.says(/no worker|·/);
  const { runId } = await handle.describe();
  await world.client.workflowService.resetWorkflowExecution({
    namespace: world.namespace,
    workflowExecution: { workflowId: 'reset', runId },
    workflowTaskFinishEventId: 3 as unknown as Long,
    requestId: 'reset-once',
    reason: 'to see whether it is followed',
  });
  const next = world.client.workflow.getHandle('reset');
  expect((await next.describe()).runId).not.toBe(runId);
  // Longer than it takes to look twice.
  await sleep(3_000);
  await next.signal(fail, 'the second run ended');
  const { code, said } = await watching.ended;
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('the second run ended') });
  expect(said).not.toContain('terminated');
}, 300_000);

test('`show` of what has ended badly says why, and fails', async () => {
  await Promise.all(
    ['failed', 'terminated', 'timed-out'].map(async (ending) => {
      const name = ending.replace('-', ' ');
      for (const type of nounsOf(name).filter((each) => each !== 'report')) {
        const noun = WAITS[type]!('')[0]!;
        const shown = await follow([noun, 'show', `${ending}-${type}`]).ended;
        expect([noun, shown.code]).toEqual([noun, 1]);
        expect([noun, shown.said.replace(/\s+/g, ' ')]).toEqual([noun, expect.stringMatching(ENDINGS[name]!.says)]);
      }
    }),
  );
}, 600_000);

test('ids by their beginning, or as lists cut them; lists that fit and say how much there is', async () => {
  const names = ['monday/yamllint-ignore-list/oec/pass-1', 'monday/yamllint-ignore-list/oec/pass-2', 'tuesday/other'];
  const ids = names.map((name) => `campaigns-of-november/${name}`);
  const { client, queue: taskQueue } = world;
  await client.workflow.start('campaign', { taskQueue, workflowId: 'campaigns-of-november', args: [ids] });
  const children = "ParentWorkflowId = 'campaigns-of-november'";
  while ((await client.workflow.count(children)).count < ids.length) await sleep(100);

  const cli = (...args: string[]) => follow(args).ended;
  const [two, one, cut, none, other, listed, all, state] = await Promise.all([
    cli('rollout', 'show', 'campaigns-of-november/monday'),
    cli('rollout', 'show', 'campaigns-of-november/tue', '--json'),
    cli('rollout', 'show', 'campaigns…pass-2', '--json'),
    cli('rollout', 'show', 'december'),
    cli('campaign', 'show', 'campaigns-of-nov', '--json'),
    cli('rollout', 'list', '--campaign', 'campaigns-of-nov', '--limit', '2'),
    cli('rollout', 'list', '--campaign', 'campaigns-of-november', '--state', 'running'),
    cli('rollout', 'list', '--state', 'runing'),
  ]);
  expect(two).toMatchObject({ code: 1, said: expect.stringContaining(`2 begin like that: `) });
  expect(one.said).toContain(`"id":"${ids[2]}"`);
  expect(cut.said).toContain(`"id":"${ids[1]}"`);
  expect(none).toMatchObject({ code: 1, said: expect.stringContaining('no workflow "december"') });
  expect(other.said).toContain('"id":"campaigns-of-november"');
  expect(listed.said).toContain('2 of 3 shown');
  const rows = all.said.split('\n').filter((line) => / running /.test(line));
  expect(new Set(rows.map((row) => row.split(/ +/)[0])).size).toBe(3);
  expect(rows.filter((row) => row.length > 80)).toEqual([]);
  expect(state.said).toContain('--state: no state "runing", did you mean "running"?');
}, 300_000);

test('a server that does not answer is said to be waited for', async () => {
  const asking = follow(['rollout', 'list'], { TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` });
  await asking.says(/no answer from 127\.0\.0\.1:\d+ so far: it is tried for 30 s/);
  asking.stop();
  await asking.ended;
});

test('a server that goes away is said to, and followed when it comes back', async () => {
  const handle = await begin('pipeline', 'away');
  const watching = follow(['pipeline', 'watch', 'away']);
  await watching.says(/no worker|·/);
  await world.killServer();
  await watching.says(/the server does not answer; it is asked again/);
  await world.startServer();
  await watching.says(/the server answers again/);
  await world.client.workflow.getHandle(handle.workflowId).signal(fail, 'at last');
  const { code, said } = await watching.ended;
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('at last') });
}, 600_000);
