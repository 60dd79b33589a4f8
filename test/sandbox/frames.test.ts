import { randomUUID } from 'node:crypto';
import Docker from 'dockerode';
import { type Frame, SandboxProfile } from '../../src/contract';
import { openSandboxes } from '../../src/sandbox';
import { ensureContainer, removeContainer, setAside } from '../../src/sandbox/docker/container';
import { runLabels, runName } from '../../src/sandbox/labels';
import { tinyProblem } from '../support/tiny-problem';

const owner = { workflowId: `test/frames/${randomUUID()}`, firstRunId: randomUUID() };
const docker = new Docker();
const sandboxes = openSandboxes('test');
const profile = SandboxProfile.parse({});
const name = runName(owner, 'main');
const spec = { owner, role: 'main', workdir: '/testbed', profile };
const container = { name, workdir: '/testbed', profile, labels: { ...runLabels(owner), 'pointsman.scope': 'test' } };
let jobs = 0;

beforeAll(async () => {
  const { image, workdir } = await tinyProblem();
  await sandboxes.claim({ owner, role: 'main', image, workdir, profile });
});
afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
});

const run = async (command: string) =>
  (
    await sandboxes
      .at(name)
      .journal((journal) => journal.run({ id: `f${++jobs}`, after: '*', command, timeoutMs: 20_000 }))
  ).output.toString();
const push = (index: number, squash = false) =>
  sandboxes.at(name).snapshot({ owner, index, label: `frame ${index}`, squash });
const back = (frame: Frame) => sandboxes.restore(spec, frame);
/** Names, modes and contents of all that a command could have changed. */
const print = () =>
  run(
    'cd / && find testbed root tmp etc -xdev -type f -not -path "*/.git/*" | sort | xargs stat -c "%n %a %s" | md5sum; cat /testbed/* 2>/dev/null | md5sum; pwd; echo "$LEVEL"',
  );

test('a rollback restores files, modes, deletions, directory and variables; the frame can be restored again', async () => {
  await run('cd /testbed/src && export LEVEL=one && echo 1 > a && chmod 700 a && mkdir -p d/e && rm ../README.md');
  const first = await push(0);
  const one = await print();
  await run(
    'cd /tmp && export LEVEL=two && rm -rf /testbed/src && echo 2 > /testbed/b && ln -s /etc/passwd /testbed/l',
  );
  const second = await push(1);
  const two = await print();
  expect(first).toMatchObject({ index: 0, cwd: '/testbed/src', env: { LEVEL: 'one' }, network: 'none' });

  await back(first);
  expect(await print()).toBe(one);
  await run('echo spoiled > /testbed/src/a');
  await back(first);
  expect(await print()).toBe(one);
  await back(second);
  expect(await print()).toBe(two);
});

test('a rollback that was cut off anywhere is done by the next attempt, and leaves no second container', async () => {
  await run('cd /testbed && echo kept > note');
  const frame = await push(9);
  const kept = await print();
  const cuts = [
    async () => {},
    async () => docker.getContainer(name).kill(),
    async () => setAside(docker, name, `${name}-gone-cut`),
    // A new one was begun, and the old one was not removed.
    async () => {
      await setAside(docker, name, `${name}-gone-cut`);
      await ensureContainer(docker, { ...container, image: frame.image });
    },
  ];
  for (const cut of cuts) {
    await run('echo spoiled > /testbed/note');
    await cut();
    const { removed } = await back(frame);
    expect(await print()).toBe(kept);
    await removed;
    const filters = { label: [`pointsman.run=${owner.firstRunId}`] };
    expect((await docker.listContainers({ all: true, filters })).map(({ Names }) => Names)).toEqual([[`/${name}`]]);
  }
});

test('rollbacks that follow each other do not wait for each other, and all that they set aside goes', async () => {
  const frame = await push(10);
  const kept = await print();
  const first = await back(frame);
  const second = await back(frame);
  expect(await print()).toBe(kept);
  await Promise.all([first.removed, second.removed, removeContainer(docker, name)]);
  expect(await docker.listContainers({ all: true, filters: { name: [name] } })).toEqual([]);
  await back(frame);
  await sandboxes.dropFrames(owner, [10]);
});

test('a checkpoint that is asked for again at the same position is the same image', async () => {
  const frame = await push(2);
  expect((await push(2)).imageId).toBe(frame.imageId);
  await run('true');
  expect((await push(2)).imageId).not.toBe(frame.imageId);
});

test('a squashed frame has one layer, the same files, and keeps directory, variables and ownership', async () => {
  await run('cd /testbed && export LEVEL=flat');
  const before = await print();
  const frame = await push(3, true);
  const image = await docker.getImage(frame.image).inspect();
  expect(image.RootFS.Layers).toHaveLength(1);
  expect(image.Config.Labels?.['pointsman.run']).toBe(owner.firstRunId);
  await back(frame);
  expect(await print()).toBe(before);
});

test('popped frames are removed, from the top, and removing them again is fine', async () => {
  await sandboxes.dropFrames(owner, [0, 1, 2, 3]);
  await sandboxes.dropFrames(owner, [0, 1, 2, 3]);
  await sandboxes.remove(owner, 'main');
  await sandboxes.removeAll(owner.firstRunId);
  const left = await docker.listImages({ filters: { label: [`pointsman.run=${owner.firstRunId}`] } });
  expect(left.flatMap((image) => image.RepoTags ?? [])).toEqual([]);
});

test('who has made no image reads none of the engine’s when it goes; a sweep finds what an earlier version left', async () => {
  const { image } = await tinyProblem();
  // Of its own scope: other suites sweep and are swept at the same time.
  const alone = openSandboxes(`test/${owner.firstRunId}`);
  const lists = jest.spyOn(Docker.prototype, 'listImages');
  try {
    const claimed = await alone.claim({ ...spec, image });
    await alone.removeAll(owner.firstRunId);
    expect(lists).not.toHaveBeenCalled();

    await alone.claim({ ...spec, image });
    await claimed.snapshot({ owner, index: 0, label: 'told' });
    expect(await alone.removeAll(owner.firstRunId)).toMatchObject({ images: 1, volumes: 0 });

    await alone.claim({ ...spec, image });
    await docker.getContainer(name).commit({ repo: runName(owner, 'frame'), tag: '0' });
    expect(await alone.removeAll(owner.firstRunId)).toMatchObject({ images: 0 });
    expect(await alone.leftovers(0)).toEqual(new Map([[owner.firstRunId, owner.workflowId]]));
    expect(await alone.removeAll(owner.firstRunId, { untold: true })).toMatchObject({ images: 1 });
    expect((await alone.leftovers(0)).size).toBe(0);
  } finally {
    lists.mockRestore();
    alone.close();
  }
});
