import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeHome, pointsmanHome, REPOSITORY, readableByAll, room } from '../../src/home';
import { ensureChromium } from '../../src/machine/chromium';
import { canInstallPackages, installPackages, isScript, runCommand } from '../../src/machine/command';
import { ensureDocker } from '../../src/machine/docker';
import { wayAround } from '../../src/machine/dockerd';
import { BASE_IMAGE, ensureImage } from '../../src/machine/image';
import { ensureTemporal, temporalBinary, temporalVersion } from '../../src/machine/temporal';

const scratch = mkdtempSync(join(tmpdir(), 'pointsman-provision-'));
const environment = { ...process.env };
afterEach(() => {
  process.env = { ...environment };
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** An executable of that name that answers `--version` as told. */
function fakeProgram(folder: string, name: string, version: string): string {
  const path = join(scratch, folder, name);
  mkdirSync(join(scratch, folder), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho "${version}"\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('the home', () => {
  test('is where POINTSMAN_HOME says, with rooms made on demand', () => {
    process.env.POINTSMAN_HOME = join(scratch, 'home');
    expect(room('blobs')).toBe(join(scratch, 'home', 'blobs'));
    delete process.env.POINTSMAN_HOME;
    expect(pointsmanHome()).toBe(join(REPOSITORY, '.pointsman'));
  });
});

(canInstallPackages() ? test : test.skip)(
  'what several install at once is installed one after the other',
  async () => {
    // They are there already: what is tried is the lock.
    await Promise.all(['bash', 'coreutils', 'util-linux'].map((name) => installPackages([name], () => {}, '')));
  },
  300_000,
);

describe('the border of the home', () => {
  const umask = process.umask();
  afterEach(() => {
    process.umask(umask);
    delete process.env.POINTSMAN_HOME;
  });
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  test('no other account reads what is in it, whoever made it', () => {
    process.env.POINTSMAN_HOME = join(scratch, 'closed');
    mkdirSync(join(scratch, 'closed'), { mode: 0o755 });
    closeHome();
    expect(modeOf(pointsmanHome())).toBe('700');
    writeFileSync(join(room('run'), 'log'), '');
    expect(modeOf(room('run'))).toBe('700');
    expect(modeOf(join(room('run'), 'log'))).toBe('600');
  });

  test('what others have to read, they can', () => {
    process.env.POINTSMAN_HOME = join(scratch, 'closed-too');
    closeHome();
    readableByAll(() => writeFileSync(join(pointsmanHome(), 'installed'), ''));
    writeFileSync(join(pointsmanHome(), 'own'), '');
    expect(modeOf(join(pointsmanHome(), 'installed'))).toBe('644');
    expect(modeOf(join(pointsmanHome(), 'own'))).toBe('600');
  });

  test('a home of another account is refused', () => {
    process.env.POINTSMAN_HOME = join(scratch, 'foreign');
    mkdirSync(join(scratch, 'foreign'));
    if (process.getuid?.() === 0) {
      chownSync(join(scratch, 'foreign'), 65_534, 65_534);
      expect(closeHome).toThrow('belongs to another account');
    }
  });
});

describe('the Temporal CLI', () => {
  test('is a real binary that says its version, found by itself', () => {
    const binary = temporalBinary()!;
    expect(isScript(binary)).toBe(false);
    expect(temporalVersion(binary)).toMatch(/^\d+\.\d+\.\d+ \(Server /);
  });

  test('TEMPORAL_BIN goes first, and one that does not exist is not replaced silently', async () => {
    process.env.TEMPORAL_BIN = fakeProgram('named', 'temporal', 'temporal version 9.9.9');
    expect(temporalBinary()).toBe(process.env.TEMPORAL_BIN);
    process.env.TEMPORAL_BIN = join(scratch, 'nothing');
    expect(temporalBinary()).toBeUndefined();
    await expect(ensureTemporal(fail)).rejects.toMatchObject({
      code: 'Unavailable',
      hint: expect.stringContaining('Install'),
    });
  });

  test('a shim on PATH comes after a binary', () => {
    const real = temporalBinary()!;
    process.env.POINTSMAN_HOME = join(scratch, 'empty');
    delete process.env.TEMPORAL_BIN;
    const shim = fakeProgram('shims', 'temporal', 'temporal version 1.0.0');
    mkdirSync(join(scratch, 'bin'));
    symlinkSync(real, join(scratch, 'bin', 'temporal'));
    process.env.PATH = `${join(scratch, 'shims')}:${join(scratch, 'bin')}`;
    expect(temporalBinary()).toBe(join(scratch, 'bin', 'temporal'));
    process.env.PATH = join(scratch, 'shims');
    expect(temporalBinary()).toBe(shim);
  });
});

/** A report that must not be called: everything is there. */
function fail(doing: string): never {
  throw new Error(`nothing had to be done, but: ${doing}`);
}

test('what is there is found again without doing anything', async () => {
  for (const step of [ensureTemporal, ensureDocker, ensureImage]) {
    expect(await step(fail)).toMatchObject({ made: false });
  }
  expect((await ensureImage(fail)).found).toContain(BASE_IMAGE);
});

test('a browser is the one that CHROME names, else one on PATH; a machine that cannot have one is told what it misses', async () => {
  const [browser, plain] = ['google-chrome', 'notes.txt'].map((name) => join(scratch, name)) as [string, string];
  writeFileSync(browser, '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(plain, '');
  process.env.PATH = scratch;
  delete process.env.CHROME;
  expect(await ensureChromium(fail)).toEqual({ what: 'Chromium', found: browser, made: false });
  process.env.CHROME = plain;
  const said: string[] = [];
  // Without apt-get on PATH nothing can be installed.
  expect(await ensureChromium((line) => said.push(line))).toMatchObject({ found: expect.stringContaining('skipped') });
  expect(said.join('\n')).toMatch(/CHROME/);
});

test('an engine that DOCKER_HOST names and that does not answer is an error, never replaced by another', async () => {
  process.env.DOCKER_HOST = 'tcp://127.0.0.1:1';
  await expect(ensureDocker(fail)).rejects.toMatchObject({
    code: 'Unavailable',
    hint: expect.stringContaining('DOCKER_HOST'),
  });
});

test('a program that fails is told with its last lines and what to do', async () => {
  const run = runCommand('sh', ['-c', 'echo first; echo the reason >&2; exit 3'], {
    timeoutMs: 5000,
    hint: 'Do this.',
  });
  await expect(run).rejects.toMatchObject({
    message: expect.stringMatching(/ended with 3[\s\S]*the reason/),
    hint: 'Do this.',
  });
  await expect(runCommand('sleep', ['5'], { timeoutMs: 50 })).rejects.toThrow('was stopped after 0.05 s');
  await expect(runCommand('no-such-program', [], { timeoutMs: 50 })).rejects.toThrow('ENOENT');
});

describe('a daemon that does not start', () => {
  const iptables =
    'failed to start daemon: Error initializing network controller: error obtaining controller instance: unable to add return rule in DOCKER-ISOLATION-STAGE-1 chain: iptables failed: Could not fetch rule set generation id';
  const storage = 'failed to start daemon: error initializing graphdriver: driver not supported';

  test('for its iptables gets the legacy ones, then none', () => {
    process.env.POINTSMAN_HOME = join(scratch, 'ladder');
    fakeProgram('legacy', 'iptables-legacy', 'iptables v1.8.9 (legacy)');
    process.env.PATH = join(scratch, 'legacy');
    const first = wayAround(iptables, { args: [] })!;
    expect(first).toMatchObject({ args: [], note: 'with the legacy iptables' });
    expect(execFileSync(join(first.path!, 'iptables'), { encoding: 'utf8' })).toContain('legacy');
    expect(wayAround(iptables, first)!.args).toContain('--iptables=false');
  });

  test('for its storage driver gets vfs, once; for anything else nothing', () => {
    const vfs = wayAround(storage, { args: [] })!;
    expect(vfs.args).toEqual(['--storage-driver=vfs']);
    expect(wayAround(storage, vfs)).toBeUndefined();
    expect(wayAround('failed to start daemon: pid file found', { args: [] })).toBeUndefined();
  });
});
