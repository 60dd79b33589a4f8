import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { SandboxProfile } from '../../src/contract';
import { openSandboxes } from '../../src/sandbox';
import { EGRESS_NETWORK } from '../../src/sandbox/docker/container';
import { tinyProblem } from '../support/tiny-problem';

const sandboxes = openSandboxes('test');
const owners = ['serves', 'asks'].map((name) => ({ workflowId: `test/egress/${name}`, firstRunId: randomUUID() }));

afterAll(async () => {
  for (const { firstRunId } of owners) await sandboxes.removeAll(firstRunId);
});

test('what one run serves cannot be reached by another, though both may go out', async () => {
  const { image, workdir } = await tinyProblem();
  const profile = SandboxProfile.parse({ network: 'bridge', hostCertificates: false, memoryMiB: 256, pids: 64 });
  const [serves, asks] = await Promise.all(
    owners.map((owner) => sandboxes.claim({ owner, role: 'main', image, workdir, profile })),
  );
  const { Networks } = (await new Docker().getContainer(serves!.name).inspect()).NetworkSettings;
  const address = Networks[EGRESS_NETWORK]!.IPAddress;
  const listen = `python3 -m http.server 8123 >/dev/null 2>&1 & for i in $(seq 50); do (: < /dev/tcp/127.0.0.1/8123) 2>/dev/null && exit 0; sleep 0.1; done; exit 1`;
  expect((await serves!.exec({ command: listen, timeoutMs: 20_000 })).exitCode).toBe(0);
  const reach = (at: string) => `timeout 3 bash -c ': < /dev/tcp/${at}/8123'`;
  // Its own address answers, so that silence elsewhere is the network's doing.
  expect((await serves!.exec({ command: reach(address), timeoutMs: 20_000 })).exitCode).toBe(0);
  expect((await asks!.exec({ command: reach(address), timeoutMs: 20_000 })).exitCode).not.toBe(0);
  const route = await asks!.exec({ command: 'cat /proc/net/route', timeoutMs: 20_000 });
  expect(route.stdout.toString()).toMatch(/^\S+\s+00000000\s/m);
});
