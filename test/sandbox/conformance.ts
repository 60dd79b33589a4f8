import { randomUUID } from 'node:crypto';
import { SandboxProfile } from '../../src/contract';
import { type Owner, runName } from '../../src/sandbox/labels';
import { Diverged, type Sandbox, type Sandboxes } from '../../src/sandbox/sandbox';

const SLOW = 120_000;

/**
 * What every backend has to do, through its interface alone. `open` gives another client of the same backend each time, as
 * another process would have it; `image` has bash, git and a work tree at `workdir`.
 */
export function sandboxConformance(
  open: (scope: string) => Sandboxes,
  start: () => Promise<{ image: string; workdir: string }>,
): void {
  const scope = `conformance/${randomUUID()}`;
  const sandboxes = open(scope);
  const owner: Owner = { workflowId: `test/conformance/${randomUUID()}`, firstRunId: randomUUID() };
  const profile = SandboxProfile.parse({ memoryMiB: 256, pids: 64 });
  let from: { image: string; workdir: string };
  let jobs = 0;

  beforeAll(async () => {
    from = await start();
  }, SLOW);
  afterAll(async () => {
    await sandboxes.removeAll(owner.firstRunId);
    sandboxes.close();
  }, SLOW);

  const claim = (role = 'main') => sandboxes.claim({ owner, role, ...from, profile });
  const run = async (sandbox: Sandbox, command: string, id = `job-${++jobs}`) => {
    const done = await sandbox.journal((journal) => journal.run({ id, after: '*', command, timeoutMs: 20_000 }));
    return done.output.toString('utf8');
  };
  const textOf = async (sandbox: Sandbox, path: string) => (await sandbox.read(path)).get(path)?.toString('utf8');

  test(
    'claiming is idempotent: whoever asks again finds what runs, also from another process',
    async () => {
      const first = await claim();
      await run(first, 'echo here > /tmp/mark');
      const other = open(scope);
      const again = await other.claim({ owner, role: 'main', ...from, profile });
      expect(again.name).toBe(first.name);
      expect(await run(again, 'cat /tmp/mark')).toBe('here\n');
      other.close();
      const nowhere = sandboxes.claim({ owner, role: 'none', image: 'pointsman/none:none', workdir: '/', profile });
      await expect(nowhere).rejects.toMatchObject({ code: 'NotFound' });
    },
    SLOW,
  );

  test(
    'a command runs once, asked for twice with one id, at once or later, from here or elsewhere',
    async () => {
      const sandbox = await claim();
      const other = open(scope);
      const command = 'echo ran >> /tmp/times; sleep 0.5; wc -l < /tmp/times';
      const both = await Promise.all([run(sandbox, command, 'once'), run(other.at(sandbox.name), command, 'once')]);
      expect([...both, await run(sandbox, command, 'once')]).toEqual(['1\n', '1\n', '1\n']);
      other.close();
    },
    SLOW,
  );

  test(
    'a history that the sandbox did not live is refused',
    async () => {
      const sandbox = await claim();
      const asked = sandbox.journal((journal) =>
        journal.run({ id: 'never', after: 'another-job', command: 'true', timeoutMs: 10_000 }),
      );
      await expect(asked).rejects.toBeInstanceOf(Diverged);
    },
    SLOW,
  );

  test(
    'files go in and come out as they are',
    async () => {
      const sandbox = await claim();
      const bytes = Buffer.from([0, 255, 10, 13, 0]);
      await sandbox.write([
        { path: '/opt/in/a.bin', bytes },
        { path: '/opt/in/run.sh', bytes: Buffer.from('#!/bin/sh\necho ran\n'), executable: true },
        { path: '/opt/in/link', bytes: Buffer.alloc(0), link: 'a.bin' },
      ]);
      expect((await sandbox.read('/opt/in')).get('/opt/in/a.bin')).toEqual(bytes);
      const done = await sandbox.exec({
        command: '/opt/in/run.sh; cmp /opt/in/link /opt/in/a.bin && echo same; exit 3',
      });
      expect([done.stdout.toString(), done.exitCode]).toEqual(['ran\nsame\n', 3]);
      expect(await sandbox.read('/opt/nothing')).toEqual(new Map());
    },
    SLOW,
  );

  test(
    'a file that a process keeps rewriting can be read',
    async () => {
      const sandbox = await claim();
      const rewrite = 'while :; do head -c 400000 /dev/zero > /opt/torn; : > /opt/torn; done';
      await sandbox.exec({ command: `touch /opt/torn; (${rewrite}) > /dev/null 2>&1 & echo on` });
      for (let times = 0; times < 25; times++) expect((await sandbox.read('/opt/torn')).size).toBe(1);
    },
    SLOW,
  );

  test(
    'a frame brings back files, directory and variables, and can be restored more than once',
    async () => {
      const sandbox = await claim();
      await run(sandbox, `cd ${from.workdir} && mkdir -p deep && cd deep && export LEVEL=one && echo one > note`);
      const note = `${from.workdir}/deep/note`;
      const frame = await sandbox.snapshot({ owner, index: 0, label: 'one' });
      expect(frame).toMatchObject({ index: 0, cwd: `${from.workdir}/deep`, env: { LEVEL: 'one' } });
      for (let times = 0; times < 2; times++) {
        await run(sandbox, `cd / && export LEVEL=two && rm -r ${from.workdir}/deep && echo two > /tmp/two`);
        const spec = { owner, role: 'main', workdir: from.workdir, profile };
        const restored = await sandboxes.restore(spec, frame);
        expect(restored.sandbox.name).toBe(sandbox.name);
        expect(await run(restored.sandbox, 'pwd; echo $LEVEL; ls /tmp/two 2>&1 | wc -c')).toMatch(
          new RegExp(`^${from.workdir}/deep\none\n[1-9]`),
        );
        expect(await textOf(restored.sandbox, note)).toBe('one\n');
        await restored.removed;
      }
      await sandboxes.dropFrames(owner, [0]);
      await sandboxes.dropFrames(owner, [0]);
      const lost = sandboxes.throwaway(
        { owner, role: 'lost', image: frame.image, workdir: from.workdir, cwd: '/', env: {}, profile },
        { command: 'true', timeoutMs: 10_000 },
      );
      await expect(lost).rejects.toMatchObject({ code: 'FrameLost' });
    },
    SLOW,
  );

  test(
    'a throw-away copy leaves nothing behind, in the frame or elsewhere',
    async () => {
      const spec = {
        owner,
        role: 'copy',
        image: from.image,
        workdir: from.workdir,
        cwd: from.workdir,
        env: {},
        profile,
      };
      const look = (command: string) => sandboxes.throwaway(spec, { command, timeoutMs: 20_000 });
      expect((await look('echo mine > mine; cat mine; exit 4')).exitCode).toBe(4);
      expect((await look('ls mine')).output.toString()).toContain('No such file');
    },
    SLOW,
  );

  test(
    'a workshop begins fresh, and what it keeps is nobody’s',
    async () => {
      const image = `pointsman/conformance:${owner.firstRunId.slice(0, 8)}`;
      const spec = { owner, role: 'workshop', ...from, network: 'none' as const };
      await sandboxes.workshop(spec, async (workshop) => {
        await workshop.exec({ command: 'echo kept > /srv/kept' });
        await workshop.commit(image, {
          kept: true,
          labels: { 'test.facts': { a: ['"', '$'] } },
          instructions: ['ENV K=1'],
        });
      });
      const seen = await sandboxes.workshop(spec, (workshop) => textOf(workshop, '/srv/kept'));
      expect(seen).toBeUndefined();
      await sandboxes.removeAll(owner.firstRunId);
      expect(await sandboxes.images.label(image, 'test.facts')).toEqual({ a: ['"', '$'] });
      expect((await sandboxes.images.find(image))?.env).toMatchObject({ K: '1' });
      await sandboxes.images.remove(image);
      expect(await sandboxes.images.find(image)).toBeUndefined();
      expect(await sandboxes.images.label(image, 'test.facts')).toBeUndefined();
    },
    SLOW,
  );

  test(
    'a confined sandbox reaches nothing, hands over lines while they come, and ends all that runs in it',
    async () => {
      const cell = await sandboxes.confined({ owner, role: 'cell', image: from.image, profile });
      const lines: string[] = [];
      const read = await cell.execLines(
        {
          command: 'for n in 1 2 3; do echo $n; done; sleep 60',
          args: [],
          cwd: '/',
          env: {},
          timeoutMs: 30_000,
          silenceMs: 30_000,
          maxBytes: 1000,
          signal: new AbortController().signal,
        },
        (line) => (lines.push(line) === 2 ? 'enough' : undefined),
      );
      expect([read.ending, lines.slice(0, 2)]).toEqual(['enough', ['1', '2']]);
      await cell.endAll();
      const { stdout } = await cell.exec({
        command: 'ps -e -o args= 2>/dev/null | grep -c "[s]leep 60"; ls /sys/class/net',
      });
      expect(stdout.toString()).not.toMatch(/eth0/);
      await cell.remove();
      await expect(cell.assertAlive(0, 'test')).rejects.toMatchObject({ code: 'SandboxLost' });
    },
    SLOW,
  );

  test(
    'it tells what runs, and the janitor finds what they own',
    async () => {
      await claim();
      await claim('second');
      expect(await sandboxes.running()).toEqual(new Map([[owner.firstRunId, owner.workflowId]]));
      expect(await sandboxes.leftovers(0)).toEqual(new Map([[owner.firstRunId, owner.workflowId]]));
      expect(await sandboxes.leftovers(3600)).toEqual(new Map());
      const elsewhere = open(`${scope}/other`);
      expect((await elsewhere.running()).size + (await elsewhere.leftovers(0)).size).toBe(0);
      elsewhere.close();
    },
    SLOW,
  );

  test(
    'removal leaves nothing, and may be repeated',
    async () => {
      const sandbox = await claim();
      await sandbox.snapshot({ owner, index: 1, label: 'top' });
      expect(sandbox.name).toBe(runName(owner, 'main'));
      await sandboxes.removeAll(owner.firstRunId);
      expect((await sandboxes.running()).size).toBe(0);
      expect(await sandboxes.leftovers(0)).toEqual(new Map());
      expect(await sandboxes.removeAll(owner.firstRunId)).toEqual({
        containers: 0,
        images: 0,
        networks: 0,
        volumes: 0,
      });
      await sandbox.remove();
      await expect(sandbox.journal((journal) => journal.position())).rejects.toMatchObject({ code: 'SandboxLost' });
      await sandbox.kill('nobody');
    },
    SLOW,
  );
}
