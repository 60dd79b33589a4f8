import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import Docker from 'dockerode';
import { createUndoActivities } from '../../src/activities/undo';
import { type Compensation, SandboxProfile, ServiceSpec } from '../../src/contract';
import type { Deps } from '../../src/deps';
import { BASE_IMAGE } from '../../src/machine/image';
import { openSandboxes } from '../../src/sandbox';

const BASE = BASE_IMAGE;
const docker = new Docker();
const sandboxes = openSandboxes(`undo-test/${randomUUID()}`);
const owner = { workflowId: 'undo-test', firstRunId: randomUUID() };
const { undo } = createUndoActivities({ sandboxes } as unknown as Deps);
const undone = (...records: Compensation[]) => new MockActivityEnvironment().run(undo, { owner, records });
afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
  sandboxes.close();
});

const filters = { label: [`pointsman.run=${owner.firstRunId}`] };
/** What the run has on the engine: roles of containers, networks, frames. */
async function left() {
  const containers = await docker.listContainers({ all: true, filters });
  return {
    containers: containers.map(({ Labels }) => Labels['pointsman.role']).sort(),
    networks: (await docker.listNetworks({ filters })).length,
    images: (await docker.listImages({ filters })).length,
  };
}

test('each thing that a run makes is undone by its own record, in reverse, and a second time is no error', async () => {
  const profile = SandboxProfile.parse({ network: 'bridge' });
  const sandbox = await sandboxes.claim({ owner, role: 'main', image: BASE, workdir: '/', profile });
  const notes = ServiceSpec.parse({ name: 'notes', kind: 'container', start: 'exec sleep 600', health: 'true' });
  const request = { owner, services: [notes], base: BASE, install: () => undefined };
  await sandboxes.services.startSiblings(request, AbortSignal.timeout(60_000));
  await sandboxes.services.connect(owner, sandbox.name);
  await sandbox.snapshot({ owner, index: 0, label: 'base' });
  expect(await left()).toEqual({ containers: ['main', 'service-notes'], networks: 1, images: 1 });

  await undone({ kind: 'frame', index: 0 });
  expect(await left()).toMatchObject({ images: 0 });
  await undone({ kind: 'service', name: 'notes' });
  expect(await left()).toMatchObject({ containers: ['main'], networks: 1 });
  // The sandbox is still on it: whoever undoes a network takes everything off first.
  await undone({ kind: 'network' });
  expect(await left()).toMatchObject({ containers: ['main'], networks: 0 });
  await undone({ kind: 'container', role: 'main' });
  expect(await left()).toEqual({ containers: [], networks: 0, images: 0 });
  const environment = { kind: 'environment', imageId: 'sha256:0', sha256: '0', workdir: '/work' } as const;
  await undone({ kind: 'frame', index: 0 }, { kind: 'network' }, environment, { kind: 'leftovers' });
});
