import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SandboxProfile } from '../../src/contract';
import { builtFor, withBuilt } from '../../src/environments/built-for';
import { BASE_IMAGE } from '../../src/machine/image';
import { openSandboxes } from '../../src/sandbox';
import type { Sandbox } from '../../src/sandbox/sandbox';
import { interpreterFor } from '../../src/setup/playbook/ecosystems/python-interpreter';
import { BuiltArchives } from '../../src/store/built-archives';
import { FileBlobs } from '../../src/store/local/blobs';
import { FileDocuments } from '../../src/store/local/documents';
import { inFull, minutes } from '../support/counts';

const sandboxes = openSandboxes(`built-test/${randomUUID()}`);
const owner = { workflowId: 'built-test', firstRunId: randomUUID() };
const home = mkdtempSync(join(tmpdir(), 'built-'));
afterAll(async () => {
  await sandboxes.removeAll(owner.firstRunId);
  rmSync(home, { recursive: true, force: true });
});

const { bring, name: PYTHON } = interpreterFor('>=3.13')!;
const ARCHIVE = '/var/tmp/python-3.13.tar.gz';
const archives = () =>
  new BuiltArchives(new FileBlobs(join(home, randomUUID())), new FileDocuments(join(home, randomUUID()), '.json'));
const request = { base: BASE_IMAGE, seconds: 1500, signal: new AbortController().signal };

/** Stands for an interpreter that somebody built: the archive holds one file, which says so. */
class Prebuilt extends BuiltArchives {
  asked = 0;

  override async get(): Promise<Buffer> {
    this.asked += 1;
    const root = join(home, 'root');
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
    writeFileSync(join(root, 'usr/local/bin', PYTHON), '#!/bin/sh\necho of the archive\n', { mode: 0o755 });
    execFileSync('tar', ['-czf', join(home, 'archive'), '-C', root, 'usr']);
    return readFileSync(join(home, 'archive'));
  }
}

const prebuilt = () => new Prebuilt(new FileBlobs(home), new FileDocuments(home, ''));

async function claimed(): Promise<{ sandbox: Sandbox; ran: (command: string) => Promise<string> }> {
  const spec = { owner, role: randomUUID().slice(0, 8), image: BASE_IMAGE, workdir: '/repo' };
  const sandbox = await sandboxes.claim({
    ...spec,
    profile: SandboxProfile.parse({ network: 'bridge', hostCertificates: false }),
  });
  const env = await sandbox.lendAccess();
  const ran = async (command: string) => {
    const { exitCode, stdout, stderr } = await sandbox.exec({ command, env, timeoutMs: 1_500_000 });
    return `${stdout}${stderr}${exitCode}`;
  };
  return { sandbox, ran };
}

test('a command unpacks what lies there built, and nothing of it stays; one that needs none of it asks for none', async () => {
  const { sandbox, ran } = await claimed();
  const built = prebuilt();
  const deps = { sandboxes, built };
  const command = `${bring} && ${PYTHON}`;
  expect(await withBuilt(deps, owner, sandbox, { ...request, command }, () => ran(command))).toMatch(
    /^of the archive\n[\s\S]*0$/m,
  );
  expect(await ran(`ls ${ARCHIVE}`)).toMatch(/No such file/);
  expect(built.asked).toBe(1);
  for (const other of [command, 'make'])
    await withBuilt(deps, owner, sandbox, { ...request, command: other }, async () => '');
  expect(built.asked).toBe(1);
}, 300_000);

test('a command that does not come to it leaves none of it', async () => {
  const { sandbox, ran } = await claimed();
  const command = `false && ${bring}`;
  const run = () => ran(`ls ${ARCHIVE}; ${command}`);
  const said = await withBuilt({ sandboxes, built: prebuilt() }, owner, sandbox, { ...request, command }, run);
  expect(said).toBe(`${ARCHIVE}\n1`);
  expect(await ran(`ls ${ARCHIVE}`)).toMatch(/No such file/);
});

test('what cannot be built is left to the command, and a cancellation is none of that', async () => {
  const deps = { sandboxes, built: archives() };
  expect(await builtFor(deps, owner, bring, { ...request, seconds: 0.1 })).toEqual([]);
  const cancelled = new Error('the set-up was cancelled');
  const stop = new AbortController();
  setTimeout(() => stop.abort(cancelled), 100);
  await expect(builtFor(deps, owner, bring, { ...request, signal: stop.signal })).rejects.toBe(cancelled);
  expect(await builtFor(deps, owner, 'make', request)).toEqual([]);
});

inFull(
  'the archive is an interpreter like one that was built there',
  async () => {
    const deps = { sandboxes, built: archives() };
    const oldest = interpreterFor('==3.9.*')!;
    const { sandbox, ran } = await claimed();
    const imports = `${oldest.name} -c 'import bz2, ctypes, lzma, readline, sqlite3, ssl, sys, zlib; print(sys.prefix)'`;
    const command = `${oldest.bring} && ${oldest.name} -m venv /venv9 && /venv9/bin/${imports}`;
    expect(await withBuilt(deps, owner, sandbox, { ...request, command }, () => ran(command))).toMatch(
      /^\/venv9\n[\s\S]*0$/m,
    );
  },
  minutes(1, 25),
);
