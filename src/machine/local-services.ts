import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { PointsmanError } from '../contract';
import { room } from '../home';
import { isLoopback } from '../own-host';
import { readText } from './command';
import { answers, claimedFor, type DevServer, serverPid, startDevServer, startEnds } from './dev-server';
import { isThisHome, type Owner, ownServer, serverOwner } from './owner';
import { freePort, isFree, listens } from './ports';
import { comesUp, logOf } from './processes';
import { homeLock } from './server-process';

const USUAL = 7233;
const LOCAL = `127.0.0.1:${USUAL}`;
/** The UI of a development server is so many ports above it. */
const UI_ABOVE = 1000;

export interface Local {
  readonly address: string;
  /** Web UI of a server that we know; undefined for one that was configured. */
  readonly ui: string | undefined;
}

/** The development server of this home, as it is remembered while it is down. */
interface Remembered {
  readonly port: number;
  readonly uiPort: number;
  /** Its database, in `run`: it stays when the port has to change. */
  readonly database: string;
}

/** A server that comes back is spoken to again soon: by default gRPC waits for up to two minutes between two attempts. */
const PATIENT = {
  connectTimeout: '30s',
  channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 2_000 },
} as const;

/** Whoever waits longer is told for what. */
const SILENCE_MS = 2_000;

/** Set when the address is not the one that `temporal` takes by itself. */
let unusual: string | undefined;

/**
 * Where the Temporal server is. One that the environment or a Temporal profile names is taken as it is; without any, this
 * home's development server is started when it does not answer, on a port of its own where another home has the usual one.
 * `port` asks for one. Throws `Unavailable` where that cannot be had.
 */
export async function ensureServer(say: (line: string) => void, port?: number): Promise<Local> {
  const address = configuredAddress();
  if (address !== undefined) {
    if (port !== undefined)
      throw new PointsmanError(
        'InvalidInput',
        `--port: the server at ${address} is configured, and is not this home's to start`,
        'Unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE to use a server of your own.',
      );
    return { address, ui: undefined };
  }
  const server = await startOwnServer(say, port);
  if (server.started) say(`started a Temporal development server at ${server.address} (\`pointsman down\` stops it)`);
  speakTo(server.address);
  return { address: server.address, ui: server.ui };
}

/**
 * `ensureServer` for who only looks: starts nothing. This home's server is waited for while its process lives. Throws
 * `Unavailable`, with the command that starts it, where none of this home runs.
 */
export async function findServer(say: (line: string) => void): Promise<Local> {
  const configured = configuredAddress();
  if (configured !== undefined) return { address: configured, ui: undefined };
  const known = remembered();
  if (known && serverPid(known.port) !== undefined) await answersAgain(known.port, say);
  const { address, answers: runs, ui, owner, foreign } = await lookAtServer();
  // One that the environment names is refused by name, whoever speaks to it.
  if (!runs || (foreign && namedPort() === undefined))
    throw new PointsmanError(
      'Unavailable',
      runs
        ? `no Temporal server of this home runs: the one at ${address} belongs to another home, ${owner?.path}`
        : `no Temporal server runs at ${address}`,
      '`pointsman up` starts it, with what it kept, and a worker.',
    );
  speakTo(address);
  return { address, ui };
}

/** Also in what this process starts, and in the commands that it says. */
function speakTo(address: string): void {
  if (process.env.TEMPORAL_ADDRESS) return;
  process.env.TEMPORAL_ADDRESS = address;
  if (address !== LOCAL) unusual = address;
}

/** What goes before `temporal` in commands to copy: nothing where the server is where `temporal` looks for it. */
export function temporalEnvironment(): string {
  return unusual === undefined ? '' : `TEMPORAL_ADDRESS=${unusual} `;
}

/** The address that the environment or a Temporal profile names; undefined where this home's own server is meant. */
function configuredAddress(): string | undefined {
  const { address } = loadClientConnectConfig().connectionOptions;
  const isNamed = process.env.TEMPORAL_ADDRESS || process.env.TEMPORAL_CONFIG_FILE || process.env.TEMPORAL_PROFILE;
  if (!isNamed || !address) return undefined;
  const own = [USUAL, remembered()?.port].map((each) => `:${each}`);
  const [host = ''] = address.split(/:\d+$/);
  return isLoopback(host) && own.includes(address.slice(host.length)) ? undefined : address;
}

/** Whether the server is one that others run: the environment or a Temporal profile names it. */
export function serverIsConfigured(): boolean {
  return configuredAddress() !== undefined;
}

/** The port of an address of this machine that the environment names, or a Temporal profile. */
function namedPort(): number | undefined {
  const named = process.env.TEMPORAL_ADDRESS && loadClientConnectConfig().connectionOptions.address;
  const port = Number(/:(\d+)$/.exec(named ?? '')?.[1]);
  return port || undefined;
}

/** Where this home's server is, or would be looked for; starts nothing. */
function serverAddress(): string {
  return configuredAddress() ?? `127.0.0.1:${namedPort() ?? remembered()?.port ?? USUAL}`;
}

/** Whether the server that is spoken to is this home's and its process has ended: it does not come back by itself. */
export function ownServerIsDown(): boolean {
  const own = remembered();
  return own !== undefined && configuredAddress() === undefined && serverPid(own.port) === undefined;
}

/** What answers at `serverAddress`. */
export interface Answering {
  readonly address: string;
  readonly answers: boolean;
  readonly ui: string | undefined;
  /** The home that it belongs to; undefined for one that belongs to none. */
  readonly owner: Owner | undefined;
  /** It is another home's: commands of this one start a server of their own, or refuse where it was named. */
  readonly foreign: boolean;
}

/** Looks without starting anything. Never throws. */
export async function lookAtServer(): Promise<Answering> {
  const address = serverAddress();
  const [host = '', port = ''] = address.split(/:(?=\d+$)/);
  if (!(await listens(host, Number(port))))
    return { address, answers: false, ui: undefined, owner: undefined, foreign: false };
  const owner = await ownerAt(address).catch(() => undefined);
  const foreign = owner !== undefined && !isThisHome(owner);
  return { address, answers: true, ui: await uiBeside(address), owner, foreign };
}

/**
 * A client of what `serverAddress` names, with the Temporal profile's certificates and keys; says so when that takes long.
 * Throws `Unavailable`.
 */
export async function connect(say: (line: string) => void): Promise<{ connection: Connection; namespace: string }> {
  const { namespace = 'default', connectionOptions } = loadClientConnectConfig();
  const address = serverAddress();
  const silence = setTimeout(() => say(`no answer from ${address} so far: it is tried for 30 s`), SILENCE_MS);
  try {
    return { connection: await Connection.connect({ ...connectionOptions, ...PATIENT, address }), namespace };
  } catch (error) {
    throw new PointsmanError(
      'Unavailable',
      `no Temporal server answers at ${address}: ${(error as Error).message}`,
      configuredAddress() === undefined
        ? 'Start one with `pointsman up`, or set TEMPORAL_ADDRESS.'
        : 'Start that server, or unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE: `pointsman up` then starts one here.',
    );
  } finally {
    clearTimeout(silence);
  }
}

/** The web UI of a server on this machine: of our own as remembered, of others a thousand ports higher, as usual. */
export async function uiBeside(address: string): Promise<string | undefined> {
  const [host = '', text = ''] = address.split(/:(?=\d+$)/);
  if (!isLoopback(host)) return undefined;
  const port = Number(text);
  const own = remembered();
  const uiPort = own?.port === port ? own.uiPort : port + UI_ABOVE;
  return (await listens(host, uiPort)) ? `http://${host}:${uiPort}` : undefined;
}

/** Asked as configured: the server may want a certificate or a key. */
async function ownerAt(address: string): Promise<Owner | undefined> {
  const { namespace = 'default', connectionOptions } = loadClientConnectConfig();
  const connection = await Connection.connect({ ...connectionOptions, address, connectTimeout: '3s' });
  const asked = connection.withDeadline(Date.now() + 5_000, () => serverOwner(connection.workflowService, namespace));
  return asked.finally(() => connection.close());
}

const recordFile = () => join(room('run'), 'server.json');

function remembered(): Remembered | undefined {
  const text = readText(recordFile());
  return text === undefined ? undefined : (JSON.parse(text) as Remembered);
}

/** A server that runs is waited for, as busy as it may be: a second one on its database would spoil both. */
async function answersAgain(port: number, say: (line: string) => void): Promise<void> {
  const what = 'the Temporal server of this home';
  const alive = () => serverPid(port) !== undefined;
  const ready = () => answers(addressOf(port));
  const hint = '`pointsman down` and `pointsman up` start it again: runs continue.';
  await comesUp({ what, pid: serverPid(port) ?? 0, log: logOf(`temporal-${port}`), alive, ready, hint }, say);
}

/** The one that an earlier version made, which named it after the usual port, else a new one. */
function databaseFor(port: number): string {
  const earlier = `temporal-${USUAL}.db`;
  return existsSync(join(room('run'), earlier)) ? earlier : `temporal-${port}.db`;
}

/** So often a server is asked whether it is one. */
const ATTEMPTS = 5;
/** Tried one after another where a port is taken. */
const CANDIDATES = 200;

/** The server of this home: the one that runs, else a new one on its database. */
async function startOwnServer(say: (line: string) => void, asked: number | undefined): Promise<DevServer> {
  const own = remembered();
  if (
    own &&
    serverPid(own.port) !== undefined &&
    (asked ?? own.port) === own.port &&
    (await answers(addressOf(own.port)))
  )
    return startDevServer(own, say);
  // One process of this home at a time looks for a port, else each would find another.
  return claimedFor(homeLock(), async () => {
    const known = remembered();
    if (known && asked !== undefined && asked !== known.port && serverPid(known.port) !== undefined)
      throw new PointsmanError(
        'InvalidInput',
        `--port ${asked}: the server of this home runs on port ${known.port}`,
        `\`pointsman down\`, then \`pointsman up --port ${asked}\`: runs continue there.`,
      );
    if (known && serverPid(known.port) !== undefined) await answersAgain(known.port, say);
    const fixed = asked ?? namedPort();
    const first = fixed ?? known?.port ?? USUAL;
    for (let port = first; port < first + CANDIDATES; port++) {
      const taken = await whoHas(port);
      if (taken.by === 'another home' || taken.by === 'something else') {
        const has =
          taken.by === 'another home' ? `the server of another home, ${taken.owner.path}, is` : 'something else is';
        if (fixed !== undefined)
          throw new PointsmanError(
            'Unavailable',
            `port ${port}: ${has} there`,
            asked === undefined
              ? 'Unset TEMPORAL_ADDRESS: this home then starts a server of its own on a free port.'
              : 'Name another, or leave --port out: a free one is taken.',
          );
        if (port === first) say(`port ${port}: ${has} there; this home takes another`);
        continue;
      }
      const runs = taken.by !== 'nobody';
      const beside = port === known?.port ? known.uiPort : port + UI_ABOVE;
      const uiPort = runs || (await isFree(beside)) ? beside : await freePort();
      const database = known?.database ?? databaseFor(port);
      const server = await startDevServer({ port, uiPort, dbFile: join(room('run'), database) }, say).catch(
        async (error: unknown) => {
          // Somebody else was quicker between the look and the start.
          if (fixed === undefined && !(await isFree(port))) return undefined;
          throw error;
        },
      );
      // Or, another home of this account, while we waited for our turn.
      if (!server || (await whoHas(port)).by === 'another home') continue;
      if (taken.by !== 'a server of no home')
        writeFileSync(recordFile(), `${JSON.stringify({ port, uiPort, database })}\n`);
      return server;
    }
    throw new PointsmanError(
      'Unavailable',
      `no free port between ${first} and ${first + CANDIDATES}`,
      'Name one with `pointsman up --port N`.',
    );
  });
}

type Holder =
  | { readonly by: 'nobody' | 'this home' | 'a server of no home' | 'something else' }
  | { readonly by: 'another home'; readonly owner: Owner };

async function whoHas(port: number): Promise<Holder> {
  await startEnds(port);
  if (!(await listens('127.0.0.1', port))) return { by: (await isFree(port)) ? 'nobody' : 'something else' };
  // A server with much to do answers late.
  for (let attempt = 1; !(await answers(addressOf(port))); attempt++) {
    if (attempt === ATTEMPTS) return { by: 'something else' };
    await sleep(500);
  }
  const owner = await ownerAt(addressOf(port));
  if (owner) return isThisHome(owner) ? { by: 'this home' } : { by: 'another home', owner };
  if (serverPid(port) === undefined) return { by: 'a server of no home' };
  // Started by a version that did not write it down.
  await markAsOwn(addressOf(port));
  return { by: 'this home' };
}

async function markAsOwn(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await ownServer(connection.workflowService, 'default').finally(() => connection.close());
}

function addressOf(port: number): string {
  return `127.0.0.1:${port}`;
}
