import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { freemem, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { lt } from 'semver';
import { loadSettings } from '../config';
import { isInstalled, pointsmanHome, REPOSITORY } from '../home';
import { openSandboxes } from '../sandbox';
import { lastLines, onPath, readText, runCommand } from './command';
import { engineVersion } from './docker';
import { BASE_IMAGE, imageSize } from './image';
import { lookAtServer, serverIsConfigured } from './local-services';
import { isHere, nameOf, otherHomes, pollersOf } from './owner';
import { temporalBinary, temporalVersion } from './temporal';

/** One thing that the doctor looked at. */
export interface Finding {
  readonly what: string;
  /** `warn`: works, but not as well or not for everything. `missing`: something will fail. */
  readonly state: 'ok' | 'warn' | 'missing';
  readonly found: string;
  /** What to do about it; empty when there is nothing to do. */
  readonly todo: string;
}

/** Looks at everything that Pointsman stands on. Changes nothing, never throws, takes a few seconds at most. */
export async function diagnose(): Promise<Finding[]> {
  const groups = await Promise.all([machineFindings(), serverFindings(), engineFindings()]);
  return groups.flat();
}

const SIGN = { ok: '✔', warn: '!', missing: '✖' } as const;

/** The findings as lines for a terminal: what there is, and under each trouble what to do. */
export function printFindings(findings: readonly Finding[]): string {
  const width = Math.max(0, ...findings.map(({ what }) => what.length));
  const lines = findings.flatMap(({ what, state, found, todo }) => [
    `${SIGN[state]} ${what.padEnd(width)}  ${found}`,
    ...(todo ? [`  ${' '.repeat(width)}  → ${todo}`] : []),
  ]);
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const verdict = count('missing') > 0 ? `${count('missing')} missing` : 'nothing is missing';
  return [...lines, '', `${verdict}, ${count('warn')} to look at`].join('\n');
}

/** The engine, the base image, and a container that really runs: an engine may answer and yet start nothing. */
async function engineFindings(): Promise<Finding[]> {
  const version = await engineVersion();
  if (!version) {
    const todo = 'Start Docker, or set DOCKER_HOST; as root on Debian, `npm run demo` installs and starts it.';
    return [{ what: 'Docker engine', state: 'missing', found: 'none answers', todo }];
  }
  const slow = version.includes('(vfs)');
  const engine: Finding = {
    what: 'Docker engine',
    state: slow ? 'warn' : 'ok',
    found: version,
    todo: slow ? 'The vfs storage driver copies whole images: use a file system on which overlay2 works.' : '',
  };
  const size = await imageSize().catch(() => undefined);
  if (!size) {
    const todo = 'Run `npm run demo`, which makes it.';
    return [engine, { what: 'Base image', state: 'missing', found: `no ${BASE_IMAGE} on the engine`, todo }];
  }
  return [engine, { what: 'Base image', state: 'ok', found: `${BASE_IMAGE}, ${size}`, todo: '' }, await realRun()];
}

async function realRun(): Promise<Finding> {
  const what = 'Container run';
  const start = performance.now();
  try {
    const said = await openSandboxes('doctor').tryOut(BASE_IMAGE, 'echo it runs');
    if (said !== 'it runs') throw new Error(`it printed ${JSON.stringify(said.slice(0, 200))}`);
    return { what, state: 'ok', found: `a container ran in ${Math.round(performance.now() - start)} ms`, todo: '' };
  } catch (error) {
    const found = error instanceof Error ? error.message.slice(0, 300) : String(error);
    return {
      what,
      state: 'missing',
      found,
      todo: "The engine's own log says why; in a container it needs --privileged.",
    };
  }
}

const GIB = 2 ** 30;

/** What is on this machine: runtimes, programs, room, and how it reaches the network. */
async function machineFindings(): Promise<Finding[]> {
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
  // What is too old does not come here: bin/node-version.cjs refuses it.
  const old = lt(process.version, '22.0.0');
  return {
    what: 'Node.js',
    state: 'ok',
    found: old ? `${process.version}, which is no longer maintained` : process.version,
    todo: old ? 'Take 22 or later when you can: it also starts each command sooner.' : '',
  };
}

/** npm keeps what it installed beside the packages; compared by version, because a checkout changes times only. */
function packages(): Finding {
  const versions = (path: string): Record<string, { version?: string; optional?: boolean }> =>
    JSON.parse(readText(join(REPOSITORY, path)) ?? '{"packages":{}}').packages;
  const [wanted, installed] = [versions('package-lock.json'), versions('node_modules/.package-lock.json')];
  const names = Object.keys(wanted).filter((name) => name !== '' && !wanted[name]?.optional);
  const stale = names.filter((name) => wanted[name]?.version !== installed[name]?.version);
  if (isInstalled) return { what: 'npm packages', state: 'ok', found: 'installed by npm with this package', todo: '' };
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
  if (!process.env.TEMPORAL_BIN && serverIsConfigured())
    return { what: 'Temporal CLI', state: 'ok', found: 'none, and none is needed with the server of others', todo: '' };
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

const TASK_QUEUE = 'pointsman';
const DAY = 24 * 3600;
/** Seconds that a worker counts as there after its last poll: two long polls. */
const FRESH_SECONDS = 150;
const FOREIGN =
  'Run `pointsman up`: it starts a server of this home on a free port. Where TEMPORAL_ADDRESS names it, unset that.';

/** The Temporal server that the environment or a Temporal profile names: does it answer, keep histories, have workers? */
async function serverFindings(): Promise<Finding[]> {
  let address = '';
  let connection: Connection | undefined;
  try {
    const config = loadClientConnectConfig();
    const looked = await lookAtServer();
    address = looked.address;
    if (looked.foreign) {
      const found = `the one at ${address} belongs to another home, ${looked.owner?.path}`;
      return [{ what: 'Temporal server', state: 'missing', found, todo: FOREIGN }];
    }
    connection = await Connection.connect({ ...config.connectionOptions, address, connectTimeout: 3000 });
    const client = new Client({ connection, namespace: config.namespace ?? 'default' });
    const whose = looked.owner ? "this home's own" : 'belongs to no home';
    return await connection.withDeadline(Date.now() + 8000, async () => [
      await server(client, `${address}, ${whose}`),
      await retention(client),
      await workers(client),
      await problems(client),
    ]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    const todo =
      'Run `npm run demo`, which starts a development server; or set TEMPORAL_ADDRESS or a Temporal profile (docs/self-hosting.md).';
    return [{ what: 'Temporal server', state: 'missing', found: `${address}: ${reason}`, todo }];
  } finally {
    await connection?.close();
  }
}

async function server(client: Client, address: string): Promise<Finding> {
  const { serverVersion } = await client.workflowService.getSystemInfo({});
  return { what: 'Temporal server', state: 'ok', found: `${serverVersion} at ${address}`, todo: '' };
}

async function retention(client: Client): Promise<Finding> {
  const { namespace } = client.options;
  const { config } = await client.workflowService.describeNamespace({ namespace });
  const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / DAY;
  return {
    what: 'Retention',
    state: days < 30 ? 'warn' : 'ok',
    found: `namespace ${namespace} keeps histories for ${days} days`,
    todo: days < 30 ? `temporal operator namespace update -n ${namespace} --retention 30d` : '',
  };
}

async function workers(client: Client): Promise<Finding> {
  const what = 'Workers';
  const alive = await pollersOf(client, TASK_QUEUE, Date.now() / 1000 - FRESH_SECONDS);
  if (alive.length === 0)
    return { what, state: 'warn', found: `none polls ${TASK_QUEUE}`, todo: 'Start one: pointsman worker start' };
  const [other] = otherHomes(alive);
  const found = [...new Set(alive.map(({ identity }) => identity))].join(', ');
  if (!other) return { what, state: 'ok', found, todo: '' };
  const todo = `One is of another home, ${nameOf(other)}, and this one is ${pointsmanHome()}: runs of both would mix. Stop it there, or take another --queue.`;
  return { what, state: isHere(other) ? 'missing' : 'warn', found, todo };
}

/** Workflow code that throws does not end its run: the server keeps trying, and says so in this search attribute. */
async function problems(client: Client): Promise<Finding> {
  const what = 'Stuck workflows';
  const stuck: string[] = [];
  for await (const { workflowId } of client.workflow.list({
    query: 'TemporalReportedProblems IS NOT NULL',
    pageSize: 20,
  })) {
    if (stuck.push(workflowId) >= 20) break;
  }
  if (stuck.length === 0) return { what, state: 'ok', found: 'none', todo: '' };
  const todo = `temporal workflow describe -w ${stuck[0]} shows the failure; with corrected code they continue by themselves.`;
  return { what, state: 'warn', found: stuck.join(', '), todo };
}
