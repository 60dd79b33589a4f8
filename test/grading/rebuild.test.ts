import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { SandboxProfile } from '../../src/contract';
import { rebuild } from '../../src/grading/setup-result';
import { BASE_IMAGE } from '../../src/provision/image';
import { SandboxHost } from '../../src/sandbox/host';
import { installScript } from '../../src/setup/loop/recipe';

const docker = new Docker();
const host = new SandboxHost(docker, `rebuild-test/${randomUUID()}`);
const owner = { workflowId: 'rebuild-test', firstRunId: randomUUID() };
afterAll(async () => {
  await host.removeAll(owner.firstRunId);
});

/** Runs the steps on the base image, as the end of a set-up does. */
function rebuilt(commands: readonly string[], seconds = 60, profile: object = {}) {
  const steps = commands.map((command, at) => ({ turn: at + 1, command }));
  const script = installScript(steps, '/repo', 'dir:/x');
  const spec = { base: BASE_IMAGE, workdir: '/repo', sources: [], script, seconds };
  return rebuild({ docker, host }, owner, { ...spec, profile: SandboxProfile.parse(profile) });
}

test('a script that is stopped at its deadline says so', async () => {
  const built = await rebuilt(['echo begun', 'sleep 60'], 2);
  expect(built).toEqual({ failure: expect.stringMatching(/^at its deadline of 2 s, after: begun/) });
}, 60_000);

test('a script has the memory, the processes and the variables of the sandbox', async () => {
  // Of either version of cgroups.
  const files = ['memory.max', 'pids.max', 'memory/memory.limit_in_bytes', 'pids/pids.max'];
  const looks = `mkdir -p /repo; cd /sys/fs/cgroup; cat ${files.join(' ')} > /repo/limits; cd /repo; echo "$RUN_SLOW" > slow`;
  const built = await rebuilt([looks, 'grep -qx 629145600 limits', 'grep -qx 77 limits', 'grep -qx "yes 1" slow'], 60, {
    ...{ memoryMiB: 600, pids: 77, env: { RUN_SLOW: 'yes 1' } },
  });
  expect(built).toMatchObject({ frame: { env: { RUN_SLOW: 'yes 1' } } });
}, 60_000);
