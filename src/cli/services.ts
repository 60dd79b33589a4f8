import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { Argument, type Command, InvalidArgumentError } from 'commander';
import { trustConfig, trustExtensions } from '../config';
import { PointsmanError } from '../contract';
import { room } from '../home';
import { stopDevServer } from '../machine/dev-server';
import { diagnose, type Finding, printFindings } from '../machine/doctor';
import { staleConfiguration, startOwnWorker } from '../machine/local-worker';
import { assertServedHere } from '../machine/owner';
import { freePort, holds } from '../machine/ports';
import { PREPARATIONS, type Preparation, prepare } from '../machine/prepare';
import { comesUp, daemonPid, logOf, startDaemon, stopDaemon } from '../machine/processes';
import { loadScript } from '../model/rehearsal/script';
import type { Cli } from './context';
import { rehearsalUrl, rememberedPort, rememberPort, shareWithDaemons } from './daemon-environment';
import { isWell, lookAtStore, type StoreStatus, serviceStatus, statusText } from './status';

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
    if (!isWell(status)) process.exitCode = 1;
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
    const findings = [...(await diagnose()), ...storeFindings(await lookAtStore(cli))];
    const ok = findings.every(({ state }) => state !== 'missing');
    cli.print({ ok, findings }, () => printFindings(findings));
    if (!ok) process.exitCode = 1;
  });
}

function storeFindings(store: StoreStatus | null): Finding[] {
  const what = 'Shared store';
  if (store === null) return [];
  return store.failure === null
    ? [{ what, state: 'ok', found: 'bucket and database answer', todo: '' }]
    : [{ what, state: 'missing', found: store.failure, todo: store.hint }];
}
