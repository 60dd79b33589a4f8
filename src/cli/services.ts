import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { Client } from '@temporalio/client';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { trustConfig, trustExtensions } from '../config';
import { isPointsmanError, PointsmanError } from '../contract';
import { room } from '../home';
import { stopDevServer } from '../machine/dev-server';
import { diagnose, type Finding, printFindings } from '../machine/doctor';
import { connect, lookAtServer } from '../machine/local-services';
import { obstacleHere, staleConfiguration, startOwnWorker, wasKilled } from '../machine/local-worker';
import { assertServedHere, nameOf, otherHomes, type Poller, pollersOf } from '../machine/owner';
import { freePort, holds } from '../machine/ports';
import { PREPARATIONS, type Preparation, prepare } from '../machine/prepare';
import { comesUp, daemonPid, logOf, startDaemon, stopDaemon } from '../machine/processes';
import { loadScript } from '../model/rehearsal/script';
import type { Cli } from './context';
import { rehearsalUrl, rememberedPort, rememberPort, shareWithDaemons } from './daemon-environment';

/** A worker drains for up to 40 s: its commands in flight are told to the server. */
const DRAIN_MS = 45_000;

export function addUpCommand(up: Command, cli: Cli): void {
  up.option('--rehearsal <script>', 'serve scripted models to the profiles of provider "rehearsal"')
    .option('--port <n>', 'port to listen on, kept for later (default: 7233, or a free one beside it)', portOption)
    .action(async ({ rehearsal, port }: { rehearsal?: string; port?: number }) => {
      cli.port = port;
      await startServices(cli, rehearsal);
      const status = await serviceStatus(cli);
      cli.print(status, () => statusText(status));
    });
}

export function addDownCommand(down: Command, cli: Cli): void {
  down.action(async () => {
    const stopped = await stopServices();
    cli.print({ stopped }, () => (stopped.length === 0 ? 'nothing was running' : `stopped ${stopped.join(', ')}`));
  });
}

export function addStatusCommand(command: Command, cli: Cli): void {
  command.action(async () => {
    const status = await serviceStatus(cli);
    cli.print(status, () => statusText(status));
    if (
      !status.server.answers ||
      status.server.foreign ||
      !status.worker.polling ||
      status.worker.otherHomes.length > 0
    )
      process.exitCode = 1;
  });
}

function portOption(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 64_535) throw new InvalidArgumentError('expected a port, like 7300.');
  return port;
}

/** Starts what does not run yet. With a script, the rehearsal server plays it from now on. */
async function startServices(cli: Cli, script: string | undefined): Promise<void> {
  if (script !== undefined) await startRehearsalDaemon(cli, script);
  const client = await cli.client();
  await assertServedHere(client, cli.queue, (line) => cli.say(line));
  shareWithDaemons(cli.settings);
  const stale = staleConfiguration();
  if (stale) {
    cli.say(`${stale}: it is started again; what it did goes on with the new one`);
    await stopDaemon('worker', DRAIN_MS);
  }
  // Whoever says `up` wants a worker here, also for a server that others run.
  if (daemonPid('worker') === undefined) await startOwnWorker(client, cli.queue, (line) => cli.say(line));
}

async function startRehearsalDaemon(cli: Cli, script: string): Promise<void> {
  loadScript(script);
  await stopDaemon('rehearsal');
  const before = rememberedPort();
  const port = await freePort(before);
  const args = ['rehearsal', 'start', '--rehearsal', resolve(script), '--port', String(port)];
  const pid = startDaemon({ name: 'rehearsal', program: 'main', args });
  rememberPort(port);
  await comesUp(
    {
      what: 'the rehearsal server',
      pid,
      log: logOf('rehearsal'),
      alive: () => daemonPid('rehearsal') === pid,
      ready: async () => holds(pid, port),
      hint: 'With that mended, say `pointsman up` again.',
    },
    (line) => cli.say(line),
  );
  process.env.POINTSMAN_REHEARSAL_URL = rehearsalUrl();
  cli.say(`started scripted models at ${process.env.POINTSMAN_REHEARSAL_URL}`);
  // A worker is told the address once, when it starts; on a new one it must start again.
  if (before !== port && (await stopDaemon('worker'))) cli.say('stopped the worker, which knew another address');
}

/** Stops worker, rehearsal and servers that this home started, in that order. Answers what was stopped. */
async function stopServices(): Promise<string[]> {
  const stopped: string[] = [];
  if (await stopDaemon('worker', DRAIN_MS)) stopped.push('worker');
  if (await stopDaemon('rehearsal')) stopped.push('rehearsal');
  // The demo leaves these up for who wants to go on by hand.
  if (await stopDaemon('demo-worker', DRAIN_MS)) stopped.push("the demo's worker");
  if (await stopDaemon('demo-models')) stopped.push("the demo's scripted models");
  for (const port of serverPorts()) if (await stopDevServer(port)) stopped.push(`Temporal server on port ${port}`);
  return stopped;
}

function serverPorts(): number[] {
  const found = readdirSync(room('run')).map((name) => /^temporal-(\d+)\.pid$/.exec(name)?.[1]);
  return found.filter((port) => port !== undefined).map(Number);
}

/** `trust`: the configuration of this folder is the operator's own. */
export function addTrustCommand(trust: Command, cli: Cli): void {
  trust.action(async () => {
    trustExtensions();
    await cli.useExtensions();
    const { file, says } = trustConfig();
    if (!file) throw new PointsmanError('NotFound', 'no pointsman.yaml here', 'Begin with examples/pointsman.yaml.');
    cli.print({ file, says }, () => [`${file} is used from now on:`, ...says.map((line) => `  ${line}`)].join('\n'));
  });
}

/** `prepare`: what `doctor` misses and we can install. Running runs are not touched. */
export function addPrepareCommand(command: Command, cli: Cli): void {
  command
    .addArgument(new Argument('[what...]', 'which').choices(PREPARATIONS).default(['temporal', 'docker', 'image']))
    .action(async (what: Preparation[]) => {
      await prepare(what, (line) => cli.say(line));
      cli.print({ prepared: what }, () => 'ready');
    });
}

/** `doctor`: what is there, what is missing, what to do. Ends non-zero when something will fail. */
export function addDoctorCommand(doctor: Command, cli: Cli): void {
  doctor.action(async () => {
    const findings = [...(await diagnose()), ...(await lookAtStore(cli))];
    const ok = findings.every(({ state }) => state !== 'missing');
    cli.print({ ok, findings }, () => printFindings(findings));
    if (!ok) process.exitCode = 1;
  });
}

/** The bucket and the database that hosts share, where the configuration names them. */
async function lookAtStore(cli: Cli): Promise<Finding[]> {
  const what = 'Shared store';
  // What cannot be read is a finding of its own.
  if (!namesStore(cli)) return [];
  try {
    await cli.stores.shared?.check();
    return [{ what, state: 'ok', found: 'bucket and database answer', todo: '' }];
  } catch (error) {
    const { message } = error as Error;
    return [{ what, state: 'missing', found: message, todo: isPointsmanError(error) ? error.hint : '' }];
  }
}

function namesStore(cli: Cli): boolean {
  try {
    return cli.settings.config.store.shared !== undefined;
  } catch {
    return false;
  }
}

interface ServiceStatus {
  readonly server: {
    readonly address: string;
    readonly answers: boolean;
    readonly ui: string | null;
    /** The home that it belongs to; null for one that belongs to none, like a team's. */
    readonly home: string | null;
    /** It is another home's. */
    readonly foreign: boolean;
  };
  readonly worker: {
    readonly queue: string;
    readonly polling: boolean;
    /** It was started here and ended without being told to. */
    readonly died: boolean;
    readonly pid: number | null;
    readonly log: string | null;
    /** Why this machine takes no new sandbox now; runs wait meanwhile. */
    readonly obstacle: string | null;
    /** How its configuration differs from the one here, which `up` mends. */
    readonly stale: string | null;
    /** Homes whose workers poll the queue too. */
    readonly otherHomes: readonly string[];
  };
  readonly rehearsal: { readonly url: string; readonly pid: number; readonly log: string } | null;
  readonly home: string;
  readonly config: string | null;
}

/** What runs, without starting anything. */
async function serviceStatus(cli: Cli): Promise<ServiceStatus> {
  const { address, answers, ui, owner, foreign } = await lookAtServer();
  const [worker, rehearsal, url] = [daemonPid('worker'), daemonPid('rehearsal'), rehearsalUrl()];
  const pollers = answers && !foreign ? await polled(cli.queue) : [];
  return {
    server: { address, answers, ui: ui ?? null, home: owner?.path ?? null, foreign },
    worker: {
      queue: cli.queue,
      // A dead worker's polls are remembered for a minute.
      polling: !wasKilled() && pollers.length > 0,
      died: wasKilled(),
      pid: worker ?? null,
      log: worker === undefined ? null : logOf('worker'),
      obstacle: worker === undefined ? null : await obstacleHere(cli.settings.config),
      stale: staleConfiguration() ?? null,
      otherHomes: otherHomes(pollers).map(nameOf),
    },
    rehearsal: rehearsal !== undefined && url ? { url, pid: rehearsal, log: logOf('rehearsal') } : null,
    home: cli.settings.home,
    config: cli.settings.file ?? null,
  };
}

function statusText({ server, worker, rehearsal, home, config }: ServiceStatus): string {
  const process = worker.died
    ? ', the one started here died: `pointsman up`'
    : worker.pid === null
      ? ''
      : `, pid ${worker.pid}, log ${worker.log}`;
  return [
    `server     ${server.address} ${serverWord(server)}`,
    ...(server.ui && !server.foreign ? [`UI         ${server.ui}`] : []),
    `worker     ${worker.polling ? 'polls' : 'none polls'} ${worker.queue}${process}`,
    ...(worker.obstacle ? [`           takes no new work for now: ${worker.obstacle}`] : []),
    ...(worker.stale ? [`           ${worker.stale}: \`pointsman up\` starts it again`] : []),
    ...worker.otherHomes.map((other) => `           a worker of another home, ${other}, polls it too`),
    `rehearsal  ${rehearsal ? `${rehearsal.url}, pid ${rehearsal.pid}, log ${rehearsal.log}` : 'not started'}`,
    `home       ${home}`,
    `config     ${config ?? 'none found: no model profiles'}`,
  ].join('\n');
}

function serverWord({ answers, home, foreign }: ServiceStatus['server']): string {
  if (!answers) return 'does not answer';
  if (foreign) return `belongs to another home, ${home}: \`pointsman up\` starts one of this home's own`;
  return home === null ? 'answers, and belongs to no home' : "answers, this home's own";
}

async function polled(queue: string): Promise<Poller[]> {
  const { connection, namespace } = await connect();
  const client = new Client({ connection, namespace });
  return client
    .withDeadline(Date.now() + 10_000, () => pollersOf(client, queue))
    .catch(() => [])
    .finally(() => connection.close());
}
