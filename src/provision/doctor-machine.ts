import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { loadSettings } from '../config';
import { pointsmanHome, REPOSITORY } from '../home';
import { lastLines, onPath, readText, runCommand } from './command';
import type { Finding } from './doctor';
import { temporalBinary, temporalVersion } from './temporal';

const GIB = 2 ** 30;

/** What is on this machine: runtimes, programs, room, and how it reaches the network. */
export async function machineFindings(): Promise<Finding[]> {
  return [
    node(),
    packages(),
    temporal(),
    await git(),
    await disk(),
    memory(),
    certificates(),
    proxy(),
    configuration(),
  ];
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const good = major > 20 || (major === 20 && minor >= 12);
  return {
    what: 'Node.js',
    state: good ? 'ok' : 'missing',
    found: process.version,
    todo: good ? '' : 'Install Node.js 20.12 or later.',
  };
}

/** npm keeps what it installed beside the packages; compared by version, because a checkout changes times only. */
function packages(): Finding {
  const versions = (path: string): Record<string, { version?: string; optional?: boolean }> =>
    JSON.parse(readText(join(REPOSITORY, path)) ?? '{"packages":{}}').packages;
  const [wanted, installed] = [versions('package-lock.json'), versions('node_modules/.package-lock.json')];
  const names = Object.keys(wanted).filter((name) => name !== '' && !wanted[name]?.optional);
  const stale = names.filter((name) => wanted[name]?.version !== installed[name]?.version);
  return stale.length === 0
    ? { what: 'npm packages', state: 'ok', found: `${names.length} as locked`, todo: '' }
    : {
        what: 'npm packages',
        state: 'missing',
        found: `${stale.length} of ${names.length} are missing or of another version`,
        todo: 'Run `bash bin/fresh deps`.',
      };
}

function temporal(): Finding {
  const binary = temporalBinary();
  const version = binary && temporalVersion(binary);
  if (version) return { what: 'Temporal CLI', state: 'ok', found: version, todo: '' };
  const found = process.env.TEMPORAL_BIN ? `TEMPORAL_BIN=${process.env.TEMPORAL_BIN} does not run` : 'not found';
  return {
    what: 'Temporal CLI',
    state: 'missing',
    found,
    todo: 'Run `npm run demo`, which fetches it, or install the Temporal CLI. Not needed with a server elsewhere.',
  };
}

async function git(): Promise<Finding> {
  const version =
    onPath('git')[0] && (await runCommand('git', ['--version'], { timeoutMs: 5000 }).catch(() => undefined));
  return version
    ? { what: 'git', state: 'ok', found: lastLines(version, 1).replace('git version ', ''), todo: '' }
    : { what: 'git', state: 'missing', found: 'not found', todo: 'Install git (Debian: apt-get install git).' };
}

async function disk(): Promise<Finding> {
  let path = pointsmanHome();
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  const { bavail, bsize } = await statfs(path);
  const free = (bavail * bsize) / GIB;
  return {
    what: 'Disk',
    state: free < 2 ? 'missing' : free < 10 ? 'warn' : 'ok',
    found: `${free.toFixed(0)} GiB free at ${path}`,
    todo: free < 10 ? 'Free some, or set POINTSMAN_HOME elsewhere: images and snapshots take gigabytes.' : '',
  };
}

function memory(): Finding {
  const available = /^MemAvailable:\s+(\d+) kB/m.exec(readText('/proc/meminfo') ?? '')?.[1];
  const free = available ? (Number(available) * 1024) / GIB : freemem() / GIB;
  return {
    what: 'Memory',
    state: free < 2 ? 'warn' : 'ok',
    found: `${free.toFixed(1)} of ${(totalmem() / GIB).toFixed(1)} GiB available`,
    todo: free < 2 ? 'Run fewer rollouts at once, or lower memoryMiB of the sandbox profile.' : '',
  };
}

function certificates(): Finding {
  const named = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'PIP_CERT', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE']
    .map((name) => ({ name, path: process.env[name] }))
    .filter((entry) => entry.path);
  const lost = named.filter(({ path }) => !existsSync(path!));
  if (lost.length > 0) {
    const found = lost.map(({ name, path }) => `${name}=${path} does not exist`).join(', ');
    return { what: 'CA bundle', state: 'warn', found, todo: 'Correct or unset it: downloads in sandboxes will fail.' };
  }
  const found = named[0] ? `${named[0].path} (${named.map(({ name }) => name).join(', ')})` : "the system's";
  return { what: 'CA bundle', state: 'ok', found, todo: '' };
}

/** Names only: the value of a proxy variable may hold a password. */
function proxy(): Finding {
  const set = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].filter((name) => process.env[name]);
  const secret = set.filter((name) => /\/\/[^/\s]*@/.test(process.env[name] ?? ''));
  if (secret.length > 0) {
    const todo = 'Sandboxes do not get it, because a model could read it; use a proxy without credentials for them.';
    return { what: 'Proxy', state: 'warn', found: `${secret.join(', ')} with credentials`, todo };
  }
  return { what: 'Proxy', state: 'ok', found: set.length > 0 ? set.join(', ') : 'none', todo: '' };
}

function configuration(): Finding {
  const what = 'Configuration';
  try {
    const { file, config } = loadSettings();
    const profiles = Object.keys(config.profiles).length;
    const found = file ? `${file}, model profiles: ${profiles}` : 'no file, so no model profiles';
    return { what, state: 'ok', found, todo: '' };
  } catch (error) {
    const found = error instanceof Error ? lastLines(error.message) : String(error);
    return { what, state: 'missing', found, todo: 'Correct the file that it names, or unset POINTSMAN_CONFIG.' };
  }
}
