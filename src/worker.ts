import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { temporal } from '@temporalio/proto';
import { makeTelemetryFilterString, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import pino from 'pino';
import { createActivities } from './activities';
import { allowedBy, loadSettings, namedExtensions, type Settings } from './config';
import { DEFAULT_QUEUE, hasOwnQueue, queuesUnder, SEARCH_ATTRIBUTES } from './contract';
import type { Deps } from './deps';
import { useExtensions } from './extensions';
import { closeHome, homeSecret } from './home';
import { scheduleJanitor } from './machine/janitor-schedule';
import { assertOwnServer, workerIdentity } from './machine/owner';
import { freePort } from './machine/ports';
import { workflowBundle } from './machine/workflow-bundle';
import { dataConverterOf, encryptsPayloads } from './payloads';
import { openSandboxes } from './sandbox';
import { closeStores, openStores } from './store';
import { InHand } from './worker/in-hand';
import { Leaving, Told } from './worker/leaving';
import { FEW_POLLS, keepOpen, polledByPlaces, waitingFor } from './worker/slots';

export interface WorkerChoice {
  /** Queue that workflows are started on; all others are named after it. */
  readonly queue: string;
  readonly roles: readonly Role[];
}
export type Role = 'workflows' | 'models' | 'sandboxes';
export const ROLES: readonly Role[] = ['workflows', 'models', 'sandboxes'];

/** Everything activities work with, on this host, for the runs of one server's namespace (`scope`). */
function createDeps(settings: Settings, scope: string, queue: string, drain: () => void): Deps {
  const { config, home, host, onlyHost } = settings;
  for (const folder of ['problems', 'run']) mkdirSync(join(home, folder), { recursive: true });
  return {
    ...openStores(settings, 'workflows'),
    home,
    config,
    env: process.env,
    sandboxes: openSandboxes(scope, homeSecret(), allowedBy(config), config.sandboxes.backend),
    imageRoad: config.images.registry ? 'registry' : onlyHost ? 'none' : 'blobs',
    hostName: host,
    drain,
    onlyHost,
    hostQueue: onlyHost ? queue : queuesUnder(queue, versionOf(settings)?.buildId).host(host),
  };
}

/**
 * Serves until SIGINT or SIGTERM: then it takes nothing new. Where another host serves too, runs that have a sandbox here are
 * told to go on there, and have the grace to take along what they did; else their sandboxes stay for the next worker. What is
 * still under way then has ten seconds. After SIGUSR1 (a drain) there is no limit of time: it ends when it has no sandbox.
 * What a killed worker had in hand is given back by the next one on its host, or found out by its missing heartbeats.
 */
export async function serve(choice: WorkerChoice, given?: Settings): Promise<void> {
  const extensions = await useExtensions(namedExtensions());
  const settings = given ?? loadSettings();
  const logger = openLog();
  const metrics = settings.config.worker.metrics ?? process.env.POINTSMAN_METRICS;
  await installRuntime(logger, metrics);
  const connect = loadClientConnectConfig();
  const connection = await NativeConnection.connect(connect.connectionOptions);
  const namespace = connect.namespace ?? 'default';
  // A worker of another home would take that one's runs, without their files.
  await assertOwnServer(connection.workflowService, namespace, connect.connectionOptions.address ?? 'localhost:7233');
  await ensureNamespace(connection, namespace);
  const { clusterId } = await connection.workflowService.getClusterInfo({});
  const told = new Told();
  const deps = createDeps(settings, `${clusterId}/${namespace}`, choice.queue, () => told.say('drain'));
  const dataConverter = dataConverterOf(settings.config);
  await deps.shared?.check();
  const common = { ...COMMON, dataConverter };
  const identity = workerIdentity(settings.host);
  const pool = queuesUnder(choice.queue).sandboxes;
  const { sandboxes } = deps;
  const client = new Client({ connection, namespace, identity, dataConverter });
  const leaving = new Leaving({ client, sandboxes, host: settings.host, pool, logger });
  const hasSandboxes = choice.roles.includes('sandboxes');
  const ending = new AbortController();
  // A host that joins fetches its image while its workers are made.
  if (hasSandboxes && settings.config.sandboxes.backend === 'docker')
    void keepOpen({ places: sandboxes.places, client, pool, logger }, ending.signal);
  const inHand = await InHand.open(settings).catch((error: unknown) => {
    logger.warn({ error }, 'a worker that is killed here is found out by its heartbeats alone');
  });
  const [planned] = await Promise.all([
    plans(choice, deps, settings, extensions, leaving),
    inHand?.giveBack(client, logger),
  ]);
  const workers = await Promise.all(
    planned.map(async ({ interceptors, ...plan }) => {
      const activity = [...(inHand ? [inHand.note] : []), ...(interceptors?.activity ?? [])];
      const options = { connection, namespace, identity, ...common, ...plan, interceptors: { activity } };
      return { queue: plan.taskQueue, worker: await Worker.create(options) };
    }),
  );
  logger.info(
    {
      queue: choice.queue,
      host: settings.host,
      roles: choice.roles,
      home: settings.home,
      metrics,
      deployment: settings.deployment,
    },
    'worker ready',
  );
  if (hasSandboxes) await keepSwept(client, choice.queue, settings, logger);
  try {
    const serving = Promise.all(workers.map(({ worker }) => worker.run()));
    const alone = async () => settings.onlyHost || !hasSandboxes || !(await leaving.hasOthers());
    void told.first.then((how) => leaving.leave(how, { alone, stopAtOnce: told.stopAtOnce, workers }));
    await serving;
  } finally {
    told.close();
    ending.abort();
    inHand?.close();
    deps.sandboxes.close();
    await closeStores(deps);
    await connection.close();
  }
}

function openLog(): pino.Logger {
  const name = 'pointsman';
  // Temporal's SDK says why an activity failed under `error`.
  const serializers = { error: pino.stdSerializers.errWithCause };
  const level = process.env.LOG_LEVEL ?? 'info';
  return pino({ name, level, serializers }, pino.destination({ fd: 2, sync: false }));
}

async function installRuntime(logger: pino.Logger, metrics: string | undefined): Promise<void> {
  Runtime.install({
    logger: forward(logger),
    telemetryOptions: {
      ...(metrics ? { metrics: { prometheus: { bindAddress: await freeAddress(metrics, logger) } } } : {}),
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN' }) },
    },
    // A host hands on what it has before its workers end.
    shutdownSignals: [],
  });
}

const COMMON = {
  // Activities beat as seldom as they may: nothing is held back.
  maxHeartbeatThrottleInterval: '1s',
  shutdownGraceTime: '10s',
  shutdownForceTime: '30s',
  // A killed worker's workflows move to another one after this long.
  stickyQueueScheduleToStartTimeout: '5s',
} as const;

/** Which build of which deployment this is: `NAME.BUILD`. */
function versionOf({ deployment }: Settings): WorkerDeploymentVersion | undefined {
  if (deployment === undefined) return undefined;
  const [deploymentName = '', ...build] = deployment.split('.');
  return { deploymentName, buildId: build.join('.') };
}

/** Runs stay on the build that they began on: minutes to hours, after which its last worker may go. */
function pinnedTo(version: WorkerDeploymentVersion | undefined): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === undefined) return {};
  return { workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' } };
}

/** One SDK worker a task queue; those for models and this host run activities only. */
async function plans(
  { queue, roles }: WorkerChoice,
  deps: Deps,
  settings: Settings,
  extensions: readonly string[],
  leaving: Leaving,
): Promise<(Partial<WorkerOptions> & { taskQueue: string })[]> {
  const { config, host } = settings;
  const version = versionOf(settings);
  const pinned = pinnedTo(version);
  const queues = queuesUnder(queue, version?.buildId);
  const activities = createActivities(deps);
  const chosen: (Partial<WorkerOptions> & { taskQueue: string })[] = [];
  if (roles.includes('workflows')) {
    chosen.push({
      taskQueue: queues.workflows,
      workflowBundle: await workflowBundle(extensions, encryptsPayloads(config)),
      activities,
      maxCachedWorkflows: config.worker.cachedWorkflows,
      maxConcurrentWorkflowTaskExecutions: 40,
      maxConcurrentActivityTaskExecutions: 200,
      ...waitingFor(deps.sandboxes.places, leaving),
      ...pinned,
    });
  }
  if (roles.includes('models')) {
    for (const [name, profile] of Object.entries(config.profiles)) {
      if (!hasOwnQueue(profile)) continue;
      chosen.push({
        taskQueue: queues.model(name),
        activities,
        maxConcurrentActivityTaskExecutions: profile.concurrency,
        maxTaskQueueActivitiesPerSecond: profile.requestsPerSecond,
        ...pinned,
      });
    }
  }
  if (roles.includes('sandboxes')) {
    const byPlaces = polledByPlaces(deps.sandboxes.places);
    chosen.push({ taskQueue: queues.sandboxes, activities, ...FEW_POLLS, ...byPlaces, ...pinned });
    chosen.push({
      taskQueue: queues.host(host),
      activities,
      ...FEW_POLLS,
      maxConcurrentActivityTaskExecutions: config.worker.sandboxes * 2,
      ...waitingFor(deps.sandboxes.places, leaving),
    });
  }
  return chosen;
}

/** The schedule that somebody made for this host stays as it is. */
async function keepSwept(
  client: Client,
  queue: string,
  { config, host }: Settings,
  logger: pino.Logger,
): Promise<void> {
  const everySeconds = config.worker.janitorMinutes * 60;
  if (everySeconds === 0) return;
  await scheduleJanitor(client, { queue, input: { hosts: [host] }, everySeconds }, { keep: true }).catch(
    (error: unknown) => logger.warn({ error }, 'nothing sweeps this host: `pointsman janitor schedule` does'),
  );
}

function forward(logger: pino.Logger) {
  const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;
  const log = (level: keyof typeof levels, message: string, meta?: Record<string, unknown>) =>
    logger[levels[level]](meta ?? {}, message);
  return {
    log,
    trace: (message: string, meta?: Record<string, unknown>) => log('TRACE', message, meta),
    debug: (message: string, meta?: Record<string, unknown>) => log('DEBUG', message, meta),
    info: (message: string, meta?: Record<string, unknown>) => log('INFO', message, meta),
    warn: (message: string, meta?: Record<string, unknown>) => log('WARN', message, meta),
    error: (message: string, meta?: Record<string, unknown>) => log('ERROR', message, meta),
  };
}

/** A second worker on the same host must not die because the first one has the metrics port. */
async function freeAddress(address: string, logger: pino.Logger): Promise<string> {
  const [host = '127.0.0.1', port = '0'] = address.split(':');
  const free = await freePort(Number(port), host);
  if (free !== Number(port) && port !== '0')
    logger.warn({ wanted: address, port: free }, 'metrics port is taken, serving on another');
  return `${host}:${free}`;
}

if (require.main === module) {
  closeHome();
  const roles = process.env.POINTSMAN_ROLES?.split(',').filter((role): role is Role => ROLES.includes(role as Role));
  serve({ queue: process.env.POINTSMAN_QUEUE ?? DEFAULT_QUEUE, roles: roles?.length ? roles : ROLES }).catch(
    (error: Error) => {
      console.error(error.message);
      process.exit(1);
    },
  );
}

const { IndexedValueType } = temporal.api.enums.v1;
const TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  INT: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  DOUBLE: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  BOOL: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
} as const;

/**
 * Registers the search attributes that are missing. A workflow that sets an unregistered one hangs until somebody adds
 * it, and the dev server's flag for them only works on a new database; so the worker does it. Safe to repeat.
 */
async function ensureNamespace(
  connection: Pick<NativeConnection, 'operatorService'>,
  namespace: string,
): Promise<string[]> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => customAttributes?.[name] === undefined);
  for (const [name, type] of missing) {
    await connection.operatorService
      .addSearchAttributes({ namespace, searchAttributes: { [name]: TYPES[type] } })
      // Another worker that started at the same moment was quicker.
      .catch((error: Error) => {
        if (!/already exist/i.test(error.message)) throw error;
      });
  }
  return missing.map(([name]) => name);
}
