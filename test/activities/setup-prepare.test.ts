import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import Docker from 'dockerode';
import { createSetupPrepareActivities, type Prepared, type PrepareInput } from '../../src/activities/setup/prepare';
import { RepoSetupInput, ServiceSpec } from '../../src/contract';
import type { Deps } from '../../src/deps';
import { Roots } from '../../src/roots';
import { openSandboxes } from '../../src/sandbox';
import { runInGuest } from '../../src/sandbox/docker/guest';
import { FileBlobs } from '../../src/store/local/blobs';
import { SetupChains } from '../../src/store/setup-chains';
import { folderOf, projectOf, removeFolders } from '../support/set-up';

const root = mkdtempSync(join(tmpdir(), 'setup-prepare-'));
const docker = new Docker();
const sandboxes = openSandboxes(`prepare-test/${randomUUID()}`);
const blobs = new FileBlobs(root);
const deps = {
  ...{ sandboxes, blobs, setupChains: new SetupChains(blobs), env: process.env, roots: Roots.any },
  ...{ hostName: 'here', hostQueue: 'host-here', config: { worker: { sandboxes: 1_000 } } },
} as unknown as Deps;
const owner = { workflowId: 'prepare-test', firstRunId: randomUUID() };
afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
  sandboxes.close();
  removeFolders();
  rmSync(root, { recursive: true, force: true });
});

const { prepareSetup } = createSetupPrepareActivities(deps);
const prepared = (input: PrepareInput) => new MockActivityEnvironment().run(prepareSetup, input) as Promise<Prepared>;

test('a host that was taken for lost, and is asked to make the sandbox again, begins without what it still had of it', async () => {
  const input = RepoSetupInput.parse({ source: `dir:${folderOf(projectOf('calc'))}` });
  const { lease, given } = await prepared({ owner, input });
  const sandbox = docker.getContainer(lease.container);
  const said = async (command: string) =>
    (await runInGuest(sandbox, { command, timeoutMs: 10_000 })).stdout.toString('utf8');
  expect(await said('touch /opt/left; ls /repo | sort | head -2; ls -I pointsman /opt')).toBe(
    'README.md\ncalc.py\nleft\n',
  );
  const notes = ServiceSpec.parse({ name: 'notes', kind: 'container', start: 'exec sleep 600', health: 'true' });
  const signal = AbortSignal.timeout(60_000);
  const { started } = await sandboxes.services.startSiblings(
    { owner, services: [notes], base: input.base, install: () => undefined },
    signal,
  );
  const siblings = async () => {
    const found = await docker.listContainers({ filters: { label: [`pointsman.run=${owner.firstRunId}`] } });
    return found.filter(({ Labels }) => Labels['pointsman.role'] === 'service-notes').length;
  };
  expect([started, await siblings()]).toEqual([['notes'], 1]);

  const again = await prepared({ owner, input, given });
  expect(again.lease.container).toBe(lease.container);
  expect(await said('ls /repo | sort | head -2; ls -I pointsman /opt')).toBe('README.md\ncalc.py\n');
  expect(await siblings()).toBe(0);
});
