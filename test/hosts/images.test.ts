import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import { pack } from 'tar-stream';
import type { Config } from '../../src/config';
import { ServiceSpec } from '../../src/contract';
import { bringImage, canBeHadAgain, needImage, shareImage } from '../../src/environments/travel';
import { BASE_IMAGE } from '../../src/machine/image';
import { DockerSandboxes } from '../../src/sandbox/docker/sandboxes';
import { FileBlobs } from '../../src/store/local/blobs';
import { type ImageRegistry, openRegistry } from '../support/registry';
import { type SecondEngine, startSecondEngine } from '../support/second-engine';

/** Two hosts, each with an engine of its own; what one makes the other needs. */
const MADE = 'pointsman/environment:test-hosts-images';
const folder = mkdtempSync(join(tmpdir(), 'hosts-images-'));
const blobs = new FileBlobs(join(folder, 'blobs'));
let registry: ImageRegistry;
let engine: SecondEngine;
let here: DockerSandboxes;
let there: DockerSandboxes;

beforeAll(async () => {
  process.env.DOCKER_CONFIG = folder;
  registry = await openRegistry({ password: 'hush' });
  engine = await startSecondEngine();
  engine.lend(registry.port);
  const allowed = { registry: registry.place };
  here = new DockerSandboxes('test-hosts', undefined, allowed);
  there = new DockerSandboxes('test-hosts', undefined, allowed, engine.docker);
  const rootfs = pack();
  rootfs.entry({ name: 'made' }, randomBytes(9 << 20));
  rootfs.finalize();
  await here.images.load(Readable.from(rootfs), MADE, ['CMD ["none"]']);
});
afterAll(async () => {
  const made = await here.images.find(MADE);
  if (made) await here.images.remove(made.id);
  await engine?.close();
  await registry?.close();
  rmSync(folder, { recursive: true, force: true });
});

const login = (password: string) => {
  const auth = Buffer.from(`team:${password}`).toString('base64');
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ auths: { [`localhost:${registry.port}`]: { auth } } }));
};
/** The digest of all that is in it. */
const idOn = async (host: DockerSandboxes, image: string) => (await host.images.find(image))?.id ?? 'not there';

test('without a registry an image goes through the blob store, and its name says where it is', async () => {
  const name = await shareImage({ sandboxes: here, blobs, imageRoad: 'blobs' }, MADE);
  expect(name).toMatch(/^pointsman\/saved:[0-9a-f]{64}$/);
  expect(await shareImage({ sandboxes: here, blobs, imageRoad: 'blobs' }, MADE)).toBe(name);
  await needImage({ sandboxes: there, blobs }, name);
  expect(await idOn(there, name)).toBe(await idOn(here, MADE));
  await there.images.remove((await there.images.find(name))!.id);
});

test('a registry that does not let us in is final, and says what to do', async () => {
  const road = { sandboxes: here, blobs, imageRoad: 'registry' } as const;
  const refused = { code: 'InvalidInput', hint: expect.stringContaining(`docker login localhost:${registry.port}`) };
  await expect(shareImage(road, MADE)).rejects.toMatchObject(refused);
  login('wrong');
  await expect(shareImage(road, MADE)).rejects.toMatchObject(refused);
  registry.answerWith(403);
  await expect(shareImage(road, MADE)).rejects.toMatchObject(refused);
  registry.answerWith(undefined);
});

test('with one it goes by digest, by the credentials of Docker’s own configuration or of a helper', async () => {
  login('hush');
  const name = await shareImage({ sandboxes: here, blobs, imageRoad: 'registry' }, MADE);
  expect(name).toMatch(/^localhost:\d+\/team\/environment@sha256:[0-9a-f]{64}$/);
  const helper = join(folder, 'docker-credential-test');
  writeFileSync(helper, '#!/bin/sh\nread host; echo \'{"Username":"team","Secret":"hush"}\'\n');
  chmodSync(helper, 0o755);
  process.env.PATH = `${folder}${delimiter}${process.env.PATH}`;
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ credsStore: 'test' }));
  expect(await bringImage({ sandboxes: there, blobs }, name)).toBe(true);
  expect(await idOn(there, name)).toBe(await idOn(here, MADE));
  // The same under the name of this host, for what is named after what it is made of.
  expect(await there.images.fetch(MADE)).toBe(true);
  expect(await there.images.fetch('pointsman/environment:never-made')).toBe(false);
  await there.images.remove((await there.images.find(name))!.id);
});

test('a name that means something else by now: what recorded its digest has what it had', async () => {
  login('hush');
  const name = `${registry.place}/web:1`;
  const push = async (image: string) => {
    await here.images.tag(image, name);
    const docker = new Docker();
    const pushed = await docker.getImage(name).push({ authconfig: { username: 'team', password: 'hush' } });
    await new Promise((resolve) => docker.modem.followProgress(pushed, resolve));
  };
  await push(BASE_IMAGE);
  const pinned = await here.images.pinned(name);
  expect(pinned).toMatch(new RegExp(`^${name}@sha256:[0-9a-f]{64}$`));
  expect(await here.images.pinned(pinned)).toBe(pinned);
  // Nobody gave it a digest, or its name is another's.
  expect(await here.images.pinned(BASE_IMAGE)).toBe(BASE_IMAGE);
  await push(MADE);
  expect(await there.images.fetch(pinned)).toBe(true);
  expect(await idOn(there, pinned)).toBe(await idOn(here, BASE_IMAGE));
  expect(await there.images.fetch(name)).toBe(true);
  expect(await idOn(there, name)).toBe(await idOn(here, MADE));

  const owner = { workflowId: 'test/pinned', firstRunId: randomUUID() };
  const web = { name: 'web', kind: 'container', image: pinned, start: 'exec python3 -m http.server 8000', port: 8000 };
  const beside = { owner, services: [ServiceSpec.parse(web)], base: BASE_IMAGE, install: () => undefined };
  const signal = new AbortController().signal;
  expect(await here.services.startSiblings(beside, signal)).toMatchObject({ started: [], failed: { name: 'web' } });
  const allowed = new DockerSandboxes('test-hosts', undefined, { images: [name] });
  expect(await allowed.services.startSiblings(beside, signal)).toEqual({ started: ['web'], failed: null });
  await allowed.removeAll(owner.firstRunId);
  for (const image of [pinned, name]) await there.images.remove(image);
  await here.images.remove(name);
});

test('what a host has is offered where the registry has none by that name, and never in the place of another', async () => {
  const name = 'pointsman/base:test-hosts-offered';
  const load = async (host: DockerSandboxes, text: string) => {
    const rootfs = pack();
    rootfs.entry({ name: 'text' }, text);
    rootfs.finalize();
    await host.images.load(Readable.from(rootfs), name, []);
    return (await host.images.find(name))!.id;
  };
  const ids = [await load(here, 'of the first'), await load(there, 'of the second')] as const;
  login('wrong');
  await expect(here.images.offer(name)).rejects.toMatchObject({ code: 'InvalidInput' });
  login('hush');
  registry.answerWith(503);
  await expect(here.images.offer(name)).rejects.toMatchObject({ code: 'Unavailable' });
  registry.answerWith(undefined);
  for (const host of [here, there, here]) await host.images.offer(name);
  await there.images.remove(ids[1]);
  expect(await there.images.fetch(name)).toBe(true);
  expect((await there.images.find(name))!.id).toBe(ids[0]);
  for (const host of [here, there]) await host.images.remove(ids[0]);
});

test.each([429, 503, 500])('a registry that answers %i is asked again later', async (status) => {
  login('hush');
  const name = await here.images.share(MADE);
  registry.answerWith(status);
  await expect(there.images.fetch(name)).rejects.toMatchObject({ code: 'Unavailable' });
  await sleep(200);
  registry.answerWith(undefined);
  expect(await there.images.fetch(name)).toBe(true);
  await there.images.remove((await there.images.find(name))!.id);
});

test('one that is away is asked again later; an image that it never had is not', async () => {
  login('hush');
  await expect(there.images.pull('localhost:1/team/none:1')).rejects.toMatchObject({ code: 'Unavailable' });
  await expect(there.images.pull(`${registry.place}/none:1`)).rejects.toMatchObject({ code: 'NotFound' });
  await expect(needImage({ sandboxes: there, blobs }, 'pointsman/environment:none')).rejects.toMatchObject({
    code: 'NotFound',
  });
});

test('where the disk is all but full, what can be had again goes, and nothing else', async () => {
  login('hush');
  const name = await here.images.share(MADE);
  expect(await there.images.fetch(name)).toBe(true);
  for (const kept of ['pointsman/environment:only-here', 'other/image:1']) {
    const rootfs = pack();
    rootfs.entry({ name: 'kept' }, kept);
    rootfs.finalize();
    await there.images.load(Readable.from(rootfs), kept, []);
  }
  const config = { images: { registry: registry.place } } as Config;
  const canBeHad = (names: readonly string[]) => canBeHadAgain({ blobs, config }, names);
  expect(await there.makeRoom(canBeHad)).toEqual([]);
  const full = new DockerSandboxes('test-hosts', undefined, { freeDiskGiB: 1_000_000 }, engine.docker);
  expect(await full.makeRoom(canBeHad)).toEqual([name]);
  expect(await there.images.find(name)).toBeUndefined();
  expect(await there.images.find('pointsman/environment:only-here')).toBeDefined();
  expect(await there.images.find('other/image:1')).toBeDefined();
});
