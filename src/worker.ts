import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
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
import { assertOwnServer, workerIdentity } from './machine/owner';
import { freePort } from './machine/ports';
import { workflowBundle } from './machine/workflow-bundle';
import { Roots } from './roots';
import { openSandboxes } from './sandbox';
import { closeStores, openStores } from './store';
import { keepBaseImage, polledByPlaces, waitingFor } from './worker/slots';

export interface WorkerChoice {
  /** Queue that workflows are started on; all others are named after it. */
  readonly queue: string;
  readonly roles: readonly Role[];
}
export type Role = 'workflows' | 'models' | 'sandboxes';
export const ROLES: readonly Role[] = ['workflows', 'models', 'sandboxes'];

/** Everything activities work with, on this host, for the runs of one server's namespace (`scope`). */
export function createDeps(settings: Settings, scope: string, queue: string): Deps {
  const { config, home, host, onlyHost } = settings;
  for (const folder of ['problems', 'run']) mkdirSync(join(home, folder), { recursive: true });
  const roots = new Roots(home, config.sources.roots);
  return {
    ...openStores(settings, roots),
    config,
    roots,
    env: process.env,
    sandboxes: openSandboxes(scope, homeSecret(), allowedBy(config), config.sandboxes.backend),
    imageRoad: config.images.registry ? 'registry' : onlyHost ? 'none' : 'blobs',
    hostName: host,
    hostQueue: onlyHost ? queuesUnder(queue).workflows : queuesUnder(queue).host(host),
  };
}

/**
 * Serves until SIGINT or SIGTERM: then it takes nothing new, gives what runs ten seconds, and tells the server about the
 * rest, which goes on elsewhere at once. A killed worker is noticed by its missing heartbeats instead.
 */
export async function serve(choice: WorkerChoice, given?: Settings): Promise<void> {
  const extensions = await useExtensions(namedExtensions());
  const settings = given ?? loadSettings();
  const logger = pino(
    // Temporal's SDK says why an activity failed under `error`.
    {
      name: 'pointsman',
      level: process.env.LOG_LEVEL ?? 'info',
      serializers: { error: pino.stdSerializers.errWithCause },
    },
    pino.destination({ fd: 2, sync: false }),
  );
  const metrics = settings.config.worker.metrics ?? process.env.POINTSMAN_METRICS;
  Runtime.install({
    logger: forward(logger),
    telemetryOptions: {
      ...(metrics ? { metrics: { prometheus: { bindAddress: await freeAddress(metrics, logger) } } } : {}),
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN' }) },
    },
    shutdownSignals: ['SIGINT', 'SIGTERM'],
  });
  const connect = loadClientConnectConfig();
  const connection = await NativeConnection.connect(connect.connectionOptions);
  const namespace = connect.namespace ?? 'default';
  // A worker of another home would take that one's runs, without their files.
  await assertOwnServer(connection.workflowService, namespace, connect.connectionOptions.address ?? 'localhost:7233');
  await ensureNamespace(connection, namespace);
  const { clusterId } = await connection.workflowService.getClusterInfo({});
  const deps = createDeps(settings, `${clusterId}/${namespace}`, choice.queue);
  const common = { ...COMMON, ...versioning(settings.deployment) };
  const identity = workerIdentity(settings.host);
  const workers = await Promise.all(
    (await plans(choice, deps, settings, extensions)).map((plan) =>
      Worker.create({ connection, namespace, identity, ...common, ...plan }),
    ),
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
  const ending = new AbortController();
  if (choice.roles.includes('sandboxes') && settings.config.sandboxes.backend === 'docker')
    void keepBaseImage(logger, ending.signal);
  try {
    await Promise.all(workers.map((worker) => worker.run()));
  } finally {
    ending.abort();
    deps.sandboxes.close();
    await closeStores(deps);
    await connection.close();
  }
}

const COMMON = {
  maxHeartbeatThrottleInterval: '5s',
  shutdownGraceTime: '10s',
  shutdownForceTime: '30s',
  // A killed worker's workflows move to another one after this long.
  stickyQueueScheduleToStartTimeout: '5s',
} as const;

/** Runs stay on the build that they began on: minutes to hours, after which its last worker may go. */
function versioning(deployment: string | undefined): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (deployment === undefined) return {};
  const [deploymentName = '', ...build] = deployment.split('.');
  const version = { deploymentName, buildId: build.join('.') };
  return { workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' } };
}

/** One SDK worker a task queue; those for models and this host run activities only. */
async function plans(
  { queue, roles }: WorkerChoice,
  deps: Deps,
  { config, host }: Settings,
  extensions: readonly string[],
): Promise<(Partial<WorkerOptions> & { taskQueue: string })[]> {
  const queues = queuesUnder(queue);
  const activities = createActivities(deps);
  const chosen: (Partial<WorkerOptions> & { taskQueue: string })[] = [];
  if (roles.includes('workflows')) {
    chosen.push({
      taskQueue: queues.workflows,
      workflowBundle: await workflowBundle(extensions),
      activities,
      maxCachedWorkflows: config.worker.cachedWorkflows,
      maxConcurrentWorkflowTaskExecutions: 40,
      maxConcurrentActivityTaskExecutions: 200,
      ...waitingFor(deps.sandboxes.places),
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
      });
    }
  }
  if (roles.includes('sandboxes')) {
    chosen.push({ taskQueue: queues.sandboxes, activities, ...polledByPlaces(deps.sandboxes.places) });
    chosen.push({
      taskQueue: queues.host(host),
      activities,
      maxConcurrentActivityTaskExecutions: config.worker.sandboxes * 2,
      ...waitingFor(deps.sandboxes.places),
    });
  }
  return chosen;
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
