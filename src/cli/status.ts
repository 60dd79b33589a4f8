import { Client } from '@temporalio/client';
import { isPointsmanError } from '../contract';
import { connect, lookAtServer } from '../machine/local-services';
import { obstacleHere, staleConfiguration, wasKilled } from '../machine/local-worker';
import { identityOn, MEMORY_SECONDS, nameOf, otherHomes, type Poller, pollersOf } from '../machine/owner';
import { daemonPid, logOf } from '../machine/processes';
import type { Cli } from './context';
import { rehearsalUrl } from './daemon-environment';
import { shortened } from './terminal/columns';
import { safeLine } from './terminal/safe-text';
import { failingIn } from './wait';

/** The server has so long for all that it is asked here. */
const ANSWER_MS = 10_000;
/** A poll lasts a minute, and the server forgets the last one after five: what is further off is the clock. */
const CLOCK_SECONDS = { behind: 120, ahead: 330 } as const;
/** Of the reasons why runs stand still so many are said, each at that length. */
const [REASONS, REASON] = [5, 300];
/** Of more runs than that the newest are looked at: what holds them up mostly holds all up. */
const LOOKED_AT = 40;

export interface ServiceStatus {
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
    /** Why this machine takes no new sandbox now; runs wait meanwhile. Null where no worker of it polls. */
    readonly obstacle: string | null;
    /** How its configuration differs from the one here, which `up` mends. */
    readonly stale: string | null;
    /** Homes whose workers poll the queue too. */
    readonly otherHomes: readonly string[];
  };
  /** Seconds that this machine's clock is ahead of the server's (behind where negative), where it is by minutes; else null. */
  readonly clockAhead: number | null;
  /** What runs on the queue; null where no server tells. */
  readonly runs: RunsStatus | null;
  /** The bucket and the database that hosts share; null where the configuration names none. */
  readonly store: StoreStatus | null;
  readonly rehearsal: { readonly url: string; readonly pid: number; readonly log: string } | null;
  readonly home: string;
  readonly config: string | null;
}

interface RunsStatus {
  /** Workflows of every kind. */
  readonly running: number;
  readonly parked: number;
  /** So many of them were asked what they wait for, the newest ones. */
  readonly lookedAt: number;
  /** What those try again and again, by why, and one that does. */
  readonly trying: readonly { readonly why: string; readonly runs: number; readonly example: string }[];
}

export interface StoreStatus {
  /** Why it cannot be used now; null where it answers. */
  readonly failure: string | null;
  readonly hint: string;
}

/** Whether what is started now would be done, and by this home. */
export function isWell({ server, worker }: ServiceStatus): boolean {
  return server.answers && !server.foreign && worker.polling && worker.otherHomes.length === 0;
}

/** What runs, without starting anything. */
export async function serviceStatus(cli: Cli): Promise<ServiceStatus> {
  const { address, answers, ui, owner, foreign } = await lookAtServer();
  const [worker, rehearsal, url] = [daemonPid('worker'), daemonPid('rehearsal'), rehearsalUrl()];
  const [{ polls, runs }, store] = await Promise.all([
    answers && !foreign ? told(cli.queue, (line) => cli.say(line)) : { polls: [], runs: null },
    lookAtStore(cli),
  ]);
  const now = Date.now() / 1000;
  const ahead = clockAhead(polls, now, worker !== undefined);
  const pollers = polls.filter(({ polledAt }) => polledAt > now - (ahead ?? 0) - MEMORY_SECONDS);
  const isServed = worker !== undefined || pollers.some(({ identity }) => identity === identityOn(cli.settings.host));
  return {
    server: { address, answers, ui: ui ?? null, home: owner?.path ?? null, foreign },
    worker: {
      queue: cli.queue,
      // A dead worker's polls are remembered for a minute.
      polling: !wasKilled() && pollers.length > 0,
      died: wasKilled(),
      pid: worker ?? null,
      log: worker === undefined ? null : logOf('worker'),
      obstacle: isServed ? await obstacleHere(cli.settings.config) : null,
      stale: staleConfiguration() ?? null,
      otherHomes: otherHomes(pollers).map(nameOf),
    },
    clockAhead: ahead,
    runs,
    store,
    rehearsal: rehearsal !== undefined && url ? { url, pid: rehearsal, log: logOf('rehearsal') } : null,
    home: cli.settings.home,
    config: cli.settings.file ?? null,
  };
}

/** What the server tells of a queue: who polls it, and what holds up the runs on it. Nothing where it is too busy. */
async function told(queue: string, say: (line: string) => void): Promise<{ polls: Poller[]; runs: RunsStatus | null }> {
  const { connection, namespace } = await connect(say);
  const client = new Client({ connection, namespace });
  const within = <T>(asked: () => Promise<T>) => client.withDeadline(Date.now() + ANSWER_MS, asked);
  const [polls, runs] = await Promise.all([
    within(() => pollersOf(client, queue, 0)).catch(() => []),
    within(() => runsOn(client, queue)).catch(() => null),
  ]);
  await connection.close();
  return { polls, runs };
}

/** By when the server says that workers polled last. Where one runs here, its last poll is a minute ago at most. */
function clockAhead(polls: readonly Poller[], now: number, servedHere: boolean): number | null {
  if (polls.length === 0) return null;
  const ahead = now - Math.max(...polls.map(({ polledAt }) => polledAt));
  const isOff = ahead < -CLOCK_SECONDS.behind || (servedHere && ahead > CLOCK_SECONDS.ahead);
  return isOff ? Math.round(ahead) : null;
}

async function runsOn(client: Client, queue: string): Promise<RunsStatus> {
  const query = `TaskQueue = '${queue.replaceAll("'", "''")}' AND ExecutionStatus = 'Running'`;
  const newest: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query, pageSize: LOOKED_AT })) {
    newest.push(workflowId);
    if (newest.length === LOOKED_AT) break;
  }
  const count = async (asked: string) => (await client.workflow.count(asked)).count;
  const [running, parked, described] = await Promise.all([
    count(query),
    // No worker has told the server of phases yet.
    count(`${query} AND Phase = 'Parked'`).catch(() => 0),
    // One that has ended meanwhile is no trouble.
    Promise.all(
      newest.map((id) =>
        client.workflow
          .getHandle(id)
          .describe()
          .catch(() => undefined),
      ),
    ),
  ]);
  const trying = new Map<string, { why: string; runs: number; example: string }>();
  for (const each of described) {
    const failing = each && failingIn(each);
    if (!failing) continue;
    const why = `${failing.activity}: ${failing.why}`;
    const before = trying.get(why);
    trying.set(why, { why, runs: (before?.runs ?? 0) + 1, example: before?.example ?? each.workflowId });
  }
  const byRuns = [...trying.values()].sort((a, b) => b.runs - a.runs);
  return { running, parked, lookedAt: newest.length, trying: byRuns };
}

/** The bucket and the database that hosts share, where the configuration names them. */
export async function lookAtStore(cli: Cli): Promise<StoreStatus | null> {
  if (!namesStore(cli)) return null;
  try {
    await cli.stores.shared?.check();
    return { failure: null, hint: '' };
  } catch (error) {
    const { message } = error as Error;
    return { failure: message, hint: isPointsmanError(error) ? error.hint : '' };
  }
}

/** What cannot be read is said elsewhere. */
function namesStore(cli: Cli): boolean {
  try {
    return cli.settings.config.store.shared !== undefined;
  } catch {
    return false;
  }
}

export function statusText({
  server,
  worker,
  clockAhead,
  runs,
  store,
  rehearsal,
  home,
  config,
}: ServiceStatus): string {
  const process = worker.died
    ? ', the one started here died: `pointsman up`'
    : worker.pid === null
      ? ''
      : `, pid ${worker.pid}, log ${worker.log}`;
  return [
    `server     ${server.address} ${serverWord(server)}`,
    ...(server.ui && !server.foreign ? [`UI         ${server.ui}`] : []),
    `worker     ${worker.polling ? 'polls' : 'none polls'} ${worker.queue}${process}`,
    ...(worker.obstacle ? [`           takes no new work for now: ${said(worker.obstacle)}`] : []),
    ...(worker.stale ? [`           ${worker.stale}: \`pointsman up\` starts it again`] : []),
    ...worker.otherHomes.map((other) => `           a worker of another home, ${other}, polls it too`),
    ...(clockAhead === null ? [] : [`clock      ${clockWord(clockAhead)}`]),
    ...(runs ? runsLines(runs) : []),
    ...(store ? [`store      ${store.failure === null ? 'bucket and database answer' : said(store.failure)}`] : []),
    `rehearsal  ${rehearsal ? `${rehearsal.url}, pid ${rehearsal.pid}, log ${rehearsal.log}` : 'not started'}`,
    `home       ${home}`,
    `config     ${config ?? 'none found: no model profiles'}`,
  ].join('\n');
}

function runsLines({ running, parked, lookedAt, trying }: RunsStatus): string[] {
  const of = lookedAt < running ? ` of the newest ${lookedAt}` : '';
  return [
    `runs       ${running === 0 ? 'none' : `${running} running`}${parked > 0 ? `, ${parked} of them parked` : ''}`,
    ...trying
      .slice(0, REASONS)
      .map(({ why, runs, example }) => `           ${runs}${of} try again, ${safeLine(example)} for one: ${said(why)}`),
  ];
}

/** Engines, guests and servers have a part in it. */
const said = (text: string) => shortened(safeLine(text), REASON);

function clockWord(ahead: number): string {
  const minutes = Math.round(Math.abs(ahead) / 60);
  return `this machine's is about ${minutes} minutes ${ahead > 0 ? 'ahead of' : 'behind'} the server's: signed requests may be refused`;
}

function serverWord({ answers, home, foreign }: ServiceStatus['server']): string {
  if (!answers) return 'does not answer';
  if (foreign) return `belongs to another home, ${home}: \`pointsman up\` starts one of this home's own`;
  return home === null ? 'answers, and belongs to no home' : "answers, this home's own";
}
