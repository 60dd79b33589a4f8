import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '../../src/home';
import { diagnose, type Finding, printFindings } from '../../src/machine/doctor';

const environment = { ...process.env };
afterEach(() => {
  process.env = { ...environment };
});

async function findings(): Promise<Map<string, Finding>> {
  return new Map((await diagnose()).map((finding) => [finding.what, finding]));
}

test('finds what this machine has, and ran a container to be sure', async () => {
  const found = await findings();
  for (const what of [
    'Node.js',
    'npm packages',
    'Temporal CLI',
    'git',
    'Docker engine',
    'Base image',
    'Container run',
  ]) {
    expect(found.get(what)).toMatchObject({ state: 'ok' });
  }
});

test('no Temporal CLI is missed where the server is one of others', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'pointsman-doctor-'));
  process.env.POINTSMAN_HOME = empty;
  process.env.PATH = dirname(process.execPath);
  delete process.env.TEMPORAL_BIN;
  expect((await findings()).get('Temporal CLI')).toMatchObject({ state: 'missing' });
  process.env.TEMPORAL_ADDRESS = '127.0.0.1:1';
  expect((await findings()).get('Temporal CLI')).toMatchObject({ state: 'ok' });
  rmSync(empty, { recursive: true });
});

test('says of all that is missing what to do, and never fails itself', async () => {
  process.env.DOCKER_HOST = 'tcp://127.0.0.1:1';
  process.env.TEMPORAL_ADDRESS = '127.0.0.1:1';
  process.env.TEMPORAL_BIN = join(REPOSITORY, 'package.json');
  process.env.POINTSMAN_CONFIG = join(REPOSITORY, 'no-such-file.yaml');
  process.env.PIP_CERT = join(REPOSITORY, 'no-such-bundle.pem');
  process.env.HTTPS_PROXY = 'http://user:hunter2@127.0.0.1:1';
  const all = await diagnose();
  const troubled = all.filter(({ state }) => state !== 'ok');
  expect(troubled.map(({ what }) => what).sort()).toEqual(
    ['CA bundle', 'Configuration', 'Docker engine', 'Proxy', 'Temporal CLI', 'Temporal server'].sort(),
  );
  for (const { todo, found } of troubled) expect([todo, found].every((text) => text.length > 5)).toBe(true);
  const printed = printFindings(all);
  expect(printed).toMatch(/✖ Docker engine .*\n\s+→ Start Docker/);
  expect(printed).toMatch(/4 missing, 2 to look at$/);
  expect(printed).not.toContain('hunter2');
});
