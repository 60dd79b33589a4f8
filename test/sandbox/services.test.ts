import Docker from 'dockerode';
import type { ServiceSpec } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';
import { removeContainer } from '../../src/sandbox/docker/container';
import { runInGuest } from '../../src/sandbox/docker/guest';
import { startServices } from '../../src/sandbox/docker/services';

let container: Docker.Container;
beforeAll(async () => {
  const image = BASE_IMAGE;
  container = await new Docker().createContainer({
    Image: image,
    Cmd: ['sleep', 'infinity'],
    HostConfig: { Init: true },
  });
  await container.start();
});
afterAll(async () => {
  await removeContainer(new Docker(), container.id);
});

/** A daemon as databases are: it writes who it is, and ends when that is no longer there. */
const daemon = (name: string): ServiceSpec => ({
  ...{ name, kind: 'process', packages: [], env: {}, health: `test -e /run/${name}.pid` },
  start: `echo $$ > /run/${name}.pid; while test -e /run/${name}.pid; do sleep 0.1; done`,
});
const start = (...services: ServiceSpec[]) => startServices(container, services, { cwd: '/', env: {}, prelude: '' });
const sh = async (command: string) =>
  (await runInGuest(container, { command, timeoutMs: 10_000 })).stdout.toString('utf8');

test('a service that is started later leaves the pid files of those that run, and no others', async () => {
  await sh("echo 1 > /run/of-a-frame.pid; touch -d '-1 hour' /run/of-a-frame.pid; echo 999999 > /run/dead.pid");
  expect(await start(daemon('first'))).toBeNull();
  expect(await start(daemon('second'))).toBeNull();
  expect(await sh('sleep 0.5; ls /run/*.pid; kill -0 $(cat /run/first.pid) && echo alive')).toBe(
    '/run/first.pid\n/run/second.pid\nalive\n',
  );
});
