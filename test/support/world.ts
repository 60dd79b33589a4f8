import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import Docker from 'dockerode';
import { stringify } from 'yaml';
import { queuesUnder } from '../../src/contract';
import { REPOSITORY } from '../../src/home';
import { serverArguments } from '../../src/machine/dev-server';
import { freePort } from '../../src/machine/ports';
import { temporalBinary } from '../../src/machine/temporal';
import type { ScriptInput } from '../../src/model/rehearsal/script';
import { startRehearsal } from '../../src/model/rehearsal/server';
import { dataConverterOf } from '../../src/payloads';
import { openSandboxes } from '../../src/sandbox';
import { LABEL } from '../../src/sandbox/labels';
import { FileBlobs } from '../../src/store/local/blobs';
import { FileTimings } from '../../src/store/local/timings';
import { Transcripts } from '../../src/store/transcripts';

export interface WorldOptions {
  /** A rehearsal script, as the file would hold it. */
  readonly script: object;
  /** Fields of each profile beyond provider, address and model; profiles are named after the script's models. */
  readonly profiles: Record<string, Record<string, unknown>>;
  readonly workers?: number;
  /** Dynamic configuration of the server beyond ours, as `name=value`. */
  readonly serverConfig?: readonly string[];
  /** Images that services may be started from. */
  readonly images?: readonly string[];
  /** Gateways that rollouts may name. */
  readonly endpoints?: readonly { readonly baseUrl: string; readonly anyPort?: boolean; readonly keys?: string[] }[];
  /** Keys that payloads are encrypted with. */
  readonly payloadKeys?: string;
  /** What the configuration says beyond that, by its fields. */
  readonly config?: object;
  /** Environment of every worker. */
  readonly env?: NodeJS.ProcessEnv;
}

/** A server that has to share its machine takes so long to answer. */
const SERVER_MS = 60_000;
const SERVER_ATTEMPTS = 5;
/** A worker that is told to end has so long. */
const PATIENCE_MS = 20_000;
const KEYS = 'WORLD_PAYLOAD_KEYS';

/** A real server, real workers as processes of their own (so that they can be killed) and a rehearsal model. */
export class World {
  private readonly workers: ChildProcess[] = [];
  private server: ChildProcess | undefined;
  private scopeLabel = '';
  private metricsPort = 0;
  private uiPort = 0;
  client!: Client;
  rehearsal!: Awaited<ReturnType<typeof startRehearsal>>;
  address = '';
  readonly home = mkdtempSync(join(tmpdir(), 'pointsman-test-'));
  readonly queue = `test-${Math.random().toString(36).slice(2, 10)}`;
  /** Of its own, so that the janitor of another server on the same engine does not take our things for orphans. */
  readonly namespace = this.queue;
  readonly blobs = new FileBlobs(join(this.home, 'blobs'));
  readonly transcripts = new Transcripts(this.blobs);
  readonly timings = new FileTimings(join(this.home, 'timings'));

  private constructor(private readonly options: WorldOptions) {}

  static async start(options: WorldOptions): Promise<World> {
    const world = new World(options);
    world.address = `127.0.0.1:${await freePort()}`;
    world.rehearsal = await startRehearsal({
      script: options.script as ScriptInput,
      log: join(world.home, 'model.log'),
    });
    await world.startServer();
    world.scopeLabel = `${LABEL.scope}=${await world.scope()}`;
    world.writeConfig(options.profiles);
    for (let i = 0; i < (options.workers ?? 1); i++) world.startWorker();
    if (options.workers !== 0) await world.workerReady();
    return world;
  }

  writeConfig(profiles: Record<string, Record<string, unknown>>): void {
    const full = Object.fromEntries(
      Object.entries(profiles).map(([name, fields]) => [
        name,
        { provider: 'rehearsal', baseUrl: this.rehearsal.url, model: name, ...fields },
      ]),
    );
    const services = { images: this.options.images ?? [] };
    const endpoints = this.options.endpoints ?? [];
    const config = {
      worker: { janitorMinutes: 0 },
      profiles: full,
      services,
      endpoints,
      payloads: this.options.payloadKeys ? { keysEnv: KEYS } : {},
      sources: { roots: [tmpdir()] },
      ...this.options.config,
    };
    writeFileSync(join(this.home, 'pointsman.yaml'), stringify(config));
  }

  /** A port that was free may be somebody else's by the time that the server takes it: then others are tried. */
  async startServer(): Promise<void> {
    const binary = temporalBinary();
    if (!binary) throw new Error('no temporal binary: run `npm test`, which provides one');
    for (let attempt = 1; attempt <= SERVER_ATTEMPTS; attempt++) {
      if (await this.serverAnswers(binary)) return;
      // Workers that run already know the address; only a first start may take another.
      if (!this.client) this.address = `127.0.0.1:${await freePort()}`;
    }
    throw new Error(`no server came up: ${readFileSync(join(this.home, 'server.log'), 'utf8').slice(-2000)}`);
  }

  /** Starts it and waits until it answers; false when it has ended instead. */
  private async serverAnswers(binary: string): Promise<boolean> {
    const [, port] = this.address.split(':');
    const log = openSync(join(this.home, 'server.log'), 'a');
    this.metricsPort = await freePort();
    this.uiPort = await freePort();
    const flags = [
      ...serverArguments(
        Number(port),
        { host: '127.0.0.1', port: this.uiPort },
        { dbFile: join(this.home, 'temporal.db'), fastTimers: true },
      ),
      ...['--namespace', this.namespace, '--metrics-port', String(this.metricsPort)],
      ...(this.options.serverConfig ?? []).flatMap((entry) => ['--dynamic-config-value', entry]),
    ];
    const server = spawn(binary, flags, { stdio: ['ignore', log, log] });
    this.server = server;
    for (const deadline = Date.now() + SERVER_MS; server.exitCode === null; await sleep(50)) {
      try {
        const connection = await Connection.connect({ address: this.address, connectTimeout: '1s' });
        // Whoever took the port before us answers as well, and has no such namespace.
        await connection.workflowService.describeNamespace({ namespace: this.namespace });
        await this.client?.connection.close().catch(() => {});
        const payloads = this.options.payloadKeys ? { keysEnv: KEYS } : {};
        const dataConverter = dataConverterOf({ payloads }, this.env);
        this.client = new Client({ connection, namespace: this.namespace, dataConverter });
        return true;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
    return false;
  }

  async killServer(): Promise<void> {
    await killed(this.server, 'SIGKILL');
  }

  get env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      POINTSMAN_HOME: this.home,
      POINTSMAN_CONFIG: join(this.home, 'pointsman.yaml'),
      POINTSMAN_QUEUE: this.queue,
      POINTSMAN_ONLY_HOST: '1',
      TEMPORAL_ADDRESS: this.address,
      TEMPORAL_NAMESPACE: this.namespace,
      LOG_LEVEL: 'info',
      ...(this.options.payloadKeys ? { [KEYS]: this.options.payloadKeys } : {}),
      ...this.options.env,
    };
  }

  /** Of this checkout unless told. */
  startWorker(env: NodeJS.ProcessEnv = {}, checkout = REPOSITORY): ChildProcess {
    const log = openSync(join(this.home, 'worker.log'), 'a');
    const worker = spawn(process.execPath, [join(checkout, 'dist/worker.js')], {
      cwd: checkout,
      stdio: ['ignore', log, log],
      env: { ...this.env, ...env },
    });
    this.workers.push(worker);
    return worker;
  }

  /** SIGKILL to every worker, or to the one given. */
  async killWorkers(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => killed(worker, signal)));
  }

  /** Waits until a worker polls the workflow queue. */
  async workerReady(): Promise<void> {
    for (let waited = 0; waited < 60_000; waited += 100) {
      const { pollers } = await this.client.workflowService.describeTaskQueue({
        namespace: this.namespace,
        taskQueue: { name: this.queue },
        taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
      });
      if (pollers?.length) return;
      if (this.workers.every((worker) => worker.exitCode !== null)) break;
      await sleep(100);
    }
    throw new Error(`no worker came up: ${this.workerLog().slice(-3000)}`);
  }

  /** Temporal's own, of this server. */
  get ui(): string {
    return `http://127.0.0.1:${this.uiPort}`;
  }

  get serverPid(): number {
    return this.server?.pid ?? 0;
  }

  /** The newest worker's process. */
  workerPid(): number {
    return this.workers.at(-1)?.pid ?? 0;
  }

  workerLog(): string {
    return readFileSync(join(this.home, 'worker.log'), 'utf8');
  }

  /** Starts a workflow of ours by its type name, as the Temporal CLI does. */
  async begin(type: string, input: unknown, workflowId: string) {
    return this.client.workflow.start(type, { taskQueue: this.queue, workflowId, args: [input] });
  }

  /** New faults or latency for the scripted models, or counts forgotten: see the rehearsal server's /control. */
  async control(change: Record<string, unknown>): Promise<void> {
    const answer = await fetch(`${this.rehearsal.url}/control`, { method: 'POST', body: JSON.stringify(change) });
    if (!answer.ok) throw new Error(await answer.text());
  }

  /** What the server has counted, as Prometheus reads it. */
  async serverMetrics(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`)).text();
  }

  /** What the worker labels its runs' things with. */
  async scope(): Promise<string> {
    const { clusterId } = await this.client.workflowService.getClusterInfo({});
    return `${clusterId}/${this.namespace}`;
  }

  queues() {
    return queuesUnder(this.queue);
  }

  async close(): Promise<void> {
    // What ends in good order may wait for a command that nobody needs any more.
    const workers = [...this.workers];
    const late = setTimeout(() => {
      for (const worker of workers) worker.kill('SIGKILL');
    }, PATIENCE_MS);
    await this.killWorkers('SIGTERM');
    clearTimeout(late);
    await this.client?.connection.close().catch(() => {});
    // It takes more than a second to end in good order, for a database that is removed next.
    await this.killServer();
    await this.rehearsal?.close();
    rmSync(this.home, { recursive: true, force: true });
    await this.sweep();
  }

  /** What a terminated run was still making: no janitor of this server will come any more. */
  private async sweep(): Promise<void> {
    if (!this.scopeLabel) return;
    const docker = new Docker();
    const left = await docker.listContainers({
      all: true,
      filters: { label: [this.scopeLabel, `${LABEL.lease}=run`] },
    });
    const sandboxes = openSandboxes(this.scopeLabel);
    for (const run of new Set(left.map(({ Labels }) => Labels[LABEL.run]!))) await sandboxes.removeAll(run);
  }
}

async function killed(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}
