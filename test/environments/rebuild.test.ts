import { randomUUID } from 'node:crypto';
import { SandboxProfile, ServiceSpec } from '../../src/contract';
import { rebuild } from '../../src/environments/setup-result';
import { BASE_IMAGE } from '../../src/machine/image';
import { openSandboxes } from '../../src/sandbox';
import type { Owner } from '../../src/sandbox/labels';
import { installScript, startCommand } from '../../src/setup/loop/recipe';
import { completeService, installCommand } from '../../src/setup/loop/services';

const sandboxes = openSandboxes(`rebuild-test/${randomUUID()}`);
let owner: Owner;
// A run's frame of an earlier script would be taken for that of this one.
beforeEach(() => {
  owner = { workflowId: 'rebuild-test', firstRunId: randomUUID() };
});
afterEach(() => sandboxes.removeAll(owner.firstRunId));

/** Runs the steps on the base image, as the end of a set-up does. */
function rebuilt(commands: readonly string[], seconds = 60, profile: object = {}) {
  const steps = commands.map((command, at) => ({ turn: at + 1, command }));
  const script = installScript(steps, '/repo', 'dir:/x');
  const spec = { base: BASE_IMAGE, workdir: '/repo', sources: [], script, seconds };
  return rebuild({ sandboxes }, owner, { ...spec, profile: SandboxProfile.parse(profile) });
}

test('a script that is stopped at its deadline says so', async () => {
  const built = await rebuilt(['echo begun', 'sleep 60'], 2);
  expect(built).toEqual({ failure: expect.stringMatching(/^at its deadline of 2 s, after: begun/) });
});

test('a script has the memory, the processes and the variables of the sandbox', async () => {
  // Of either version of cgroups.
  const files = ['memory.max', 'pids.max', 'memory/memory.limit_in_bytes', 'pids/pids.max'];
  const looks = `mkdir -p /repo; cd /sys/fs/cgroup; cat ${files.join(' ')} > /repo/limits; cd /repo; echo "$RUN_SLOW" > slow`;
  const built = await rebuilt([looks, 'grep -qx 629145600 limits', 'grep -qx 77 limits', 'grep -qx "yes 1" slow'], 60, {
    ...{ memoryMiB: 600, pids: 77, env: { RUN_SLOW: 'yes 1' } },
  });
  expect(built).toMatchObject({ frame: { env: { RUN_SLOW: 'yes 1' } } });
});

test('steps fill the database of a service, and it is in what they leave', async () => {
  const service = completeService(ServiceSpec.parse({ name: 'postgres' }));
  const built = await rebuilt(
    [
      installCommand(service)!,
      startCommand(service),
      `su postgres -c 'createdb "app"'`,
      `su postgres -c "psql app -c 'create table t as select 7 as n'"`,
    ],
    300,
  );
  if ('failure' in built) throw new Error(built.failure);
  const { image, cwd, env } = built.frame;
  const spec = { owner, role: 'look', image, workdir: '/repo', cwd, env };
  const look = async (command: string, services: ServiceSpec[]) => {
    const at = { ...spec, profile: SandboxProfile.parse({}), services };
    return (await sandboxes.throwaway(at, { command, timeoutMs: 60_000 })).output.toString();
  };
  const state = '/usr/lib/postgresql/*/bin/pg_controldata /var/lib/postgresql/*/main | grep "cluster state"';
  expect(await look(state, [])).toMatch(/: +shut down$/m);
  expect(await look(`su postgres -c "psql -tA app -c 'select n from t'"`, [service])).toBe('7\n');
}, 400_000);
