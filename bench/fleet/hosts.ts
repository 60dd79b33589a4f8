import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { FEW_POLLS } from '../../src/worker/slots';

export interface HostActivities {
  /** Takes a place of this host; gives its queue. */
  claim(): Promise<string>;
  model(ms: number): Promise<void>;
  command(ms: number): Promise<void>;
}

export interface HostsInput {
  readonly address: string;
  readonly namespace: string;
  readonly queue: string;
  readonly names: readonly string[];
  readonly places: number;
}

/** What a process of hosts has seen, in milliseconds between schedule and start. */
export interface Seen {
  readonly claims: number[];
  readonly commands: number[];
}

/**
 * Hosts as the Temporal server sees them: each polls the queue of claims while it has a place, and a queue of its own. In a
 * process of its own, with the input as its argument; it writes what it has seen as a line when it is told to end.
 */
async function serveHosts({ address, namespace, queue, names, places }: HostsInput): Promise<void> {
  const telemetryOptions = { logging: { forward: {}, filter: 'ERROR' } };
  Runtime.install({ logger: new DefaultLogger('ERROR'), telemetryOptions, shutdownSignals: [] });
  const connection = await NativeConnection.connect({ address });
  const seen: Seen = { claims: [], commands: [] };
  const workflows = await Worker.create({
    connection,
    namespace,
    taskQueue: queue,
    workflowsPath: require.resolve('./workflow'),
    activities: { model: beating },
    maxCachedWorkflows: 4_000,
    maxConcurrentActivityTaskExecutions: 20_000,
  });
  const fixed = { type: 'fixed-size', numSlots: 2 } as const;
  const hosts = names.map(async (name) => {
    const own = `${queue}-host-${name}`;
    const claim = async () => {
      seen.claims.push(waited());
      return own;
    };
    const command = async (ms: number) => {
      seen.commands.push(waited());
      await sleep(ms);
    };
    // A place is kept by whoever has claimed it: it is never given back here.
    let taken = 0;
    const slots = {
      type: 'custom',
      reserveSlot: async (_: unknown, signal: AbortSignal) => {
        while (taken >= places) await sleep(250, undefined, { signal });
        taken++;
        return {};
      },
      tryReserveSlot: () => null,
      markSlotUsed: () => {},
      releaseSlot: ({ slotInfo }: { slotInfo?: unknown }) => {
        if (slotInfo === undefined) taken--;
      },
    } as const;
    const tuner = {
      activityTaskSlotSupplier: slots,
      workflowTaskSlotSupplier: fixed,
      localActivityTaskSlotSupplier: fixed,
      nexusTaskSlotSupplier: fixed,
    };
    // Each its own, as on machines of their own.
    const shared = { connection: await NativeConnection.connect({ address }), namespace };
    return Promise.all([
      Worker.create({ ...shared, ...FEW_POLLS, taskQueue: `${queue}-sandboxes`, activities: { claim }, tuner }),
      Worker.create({
        ...shared,
        ...FEW_POLLS,
        taskQueue: own,
        activities: { command },
        maxConcurrentActivityTaskExecutions: places * 2,
      }),
    ]);
  });
  const workers = [workflows, ...(await Promise.all(hosts)).flat()];
  const running = Promise.all(workers.map((worker) => worker.run()));
  process.stdout.write('ready\n');
  process.once('SIGTERM', () => {
    process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit(0));
  });
  await running;
}

async function beating(ms: number): Promise<void> {
  const beat = setInterval(() => Context.current().heartbeat(), 8_000);
  await sleep(ms).finally(() => clearInterval(beat));
}

function waited(): number {
  return Date.now() - Context.current().info.currentAttemptScheduledTimestampMs;
}

if (require.main === module) {
  serveHosts(JSON.parse(process.argv[2]!) as HostsInput).catch((error: Error) => {
    console.error(error);
    process.exit(1);
  });
}
