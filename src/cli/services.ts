import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { Argument, type Command } from 'commander';
import { trustConfig, trustExtensions } from '../config';
import { PointsmanError } from '../contract';
import { room } from '../home';
import { stopDevServer } from '../machine/dev-server';
import { diagnose, printFindings } from '../machine/doctor';
import { connect, uiBeside } from '../machine/local-services';
import { hasWorker, startOwnWorker, wasKilled } from '../machine/local-worker';
import { freePort, listens } from '../machine/ports';
import { PREPARATIONS, type Preparation, prepare } from '../machine/prepare';
import { daemonPid, logOf, startDaemon, stopDaemon } from '../machine/processes';
import { loadScript } from '../model/rehearsal/script';
import type { Cli } from './context';
import { rehearsalUrl, rememberedPort, rememberPort, shareWithDaemons } from './daemon-environment';

export function addUpCommand(up: Command, cli: Cli): void {
  up.option('--rehearsal <script>', 'serve scripted models to the profiles of provider "rehearsal"').action(
    async ({ rehearsal }: { rehearsal?: string }) => {
      await startServices(cli, rehearsal);
      const status = await serviceStatus(cli);
      cli.print(status, () => statusText(status));
    },
  );
}

export function addDownCommand(down: Command, cli: Cli): void {
  down.action(async () => {
    const stopped = await stopServices();
    cli.print({ stopped }, () => (stopped.length === 0 ? 'nothing was running' : `stopped ${stopped.join(', ')}`));
  });
}

export function addStatusCommand(status: Command, cli: Cli): void {
  status.action(async () => {
    const found = await serviceStatus(cli);
    cli.print(found, () => statusText(found));
    if (!found.server.answers || !found.worker.polling) process.exitCode = 1;
  });
}

/** Starts what does not run yet. With a script, the rehearsal server plays it from now on. */
async function startServices(cli: Cli, script: string | undefined): Promise<void> {
  if (script !== undefined) await startRehearsalDaemon(cli, script);
  const client = await cli.client();
  shareWithDaemons(cli.settings);
  // Whoever says `up` wants a worker here, also for a server that others run.
  if (daemonPid('worker') === undefined) await startOwnWorker(client, cli.queue, (line) => cli.say(line));
}

async function startRehearsalDaemon(cli: Cli, script: string): Promise<void> {
  loadScript(script);
  await stopDaemon('rehearsal');
  const before = rememberedPort();
  const port = await freePort(before);
  const args = ['rehearsal', 'start', '--script', resolve(script), '--port', String(port)];
  const pid = startDaemon({ name: 'rehearsal', program: 'main', args });
  rememberPort(port);
  for (let waited = 0; !(await listens('127.0.0.1', port)); waited += 100) {
    if (daemonPid('rehearsal') !== pid || waited > 30_000) {
      throw new PointsmanError(
        'Unavailable',
        'the rehearsal server did not come up',
        `Its log is ${logOf('rehearsal')}.`,
      );
    }
    await sleep(100);
  }
  process.env.POINTSMAN_REHEARSAL_URL = rehearsalUrl();
  cli.say(`started scripted models at ${process.env.POINTSMAN_REHEARSAL_URL}`);
  // A worker is told the address once, when it starts; on a new one it must start again.
  if (before !== port && (await stopDaemon('worker'))) cli.say('stopped the worker, which knew another address');
}

/** Stops worker, rehearsal and servers that this home started, in that order. Answers what was stopped. */
async function stopServices(): Promise<string[]> {
  const stopped: string[] = [];
  // A worker drains for up to 40 s: its commands in flight are told to the server.
  if (await stopDaemon('worker', 45_000)) stopped.push('worker');
  if (await stopDaemon('rehearsal')) stopped.push('rehearsal');
  // The demo leaves these up for who wants to go on by hand.
  if (await stopDaemon('demo-worker', 45_000)) stopped.push("the demo's worker");
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
    const findings = await diagnose();
    const ok = findings.every(({ state }) => state !== 'missing');
    cli.print({ ok, findings }, () => printFindings(findings));
    if (!ok) process.exitCode = 1;
  });
}

interface ServiceStatus {
  readonly server: { readonly address: string; readonly answers: boolean; readonly ui: string | null };
  readonly worker: {
    readonly queue: string;
    readonly polling: boolean;
    /** It was started here and ended without being told to. */
    readonly died: boolean;
    readonly pid: number | null;
    readonly log: string | null;
  };
  readonly rehearsal: { readonly url: string; readonly pid: number; readonly log: string } | null;
  readonly home: string;
  readonly config: string | null;
}

/** What runs, without starting anything. */
async function serviceStatus(cli: Cli): Promise<ServiceStatus> {
  const address = loadClientConnectConfig().connectionOptions.address ?? '127.0.0.1:7233';
  const [host = '127.0.0.1', port = '7233'] = address.split(/:(?=\d+$)/);
  const answers = await listens(host, Number(port));
  const ui = answers ? ((await uiBeside(address)) ?? null) : null;
  const [worker, rehearsal, url] = [daemonPid('worker'), daemonPid('rehearsal'), rehearsalUrl()];
  return {
    server: { address, answers, ui },
    worker: {
      queue: cli.queue,
      // A dead worker's polls are remembered for a minute.
      polling: answers && !wasKilled() && (await polled(cli.queue)),
      died: wasKilled(),
      pid: worker ?? null,
      log: worker === undefined ? null : logOf('worker'),
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
    `server     ${server.address} ${server.answers ? 'answers' : 'does not answer'}`,
    ...(server.ui ? [`UI         ${server.ui}`] : []),
    `worker     ${worker.polling ? 'polls' : 'none polls'} ${worker.queue}${process}`,
    `rehearsal  ${rehearsal ? `${rehearsal.url}, pid ${rehearsal.pid}, log ${rehearsal.log}` : 'not started'}`,
    `home       ${home}`,
    `config     ${config ?? 'none found: no model profiles'}`,
  ].join('\n');
}

async function polled(queue: string): Promise<boolean> {
  const { connection, namespace } = await connect();
  try {
    return await hasWorker(new Client({ connection, namespace }), queue);
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}
