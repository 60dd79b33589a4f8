import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import type { Problem } from '../../src/contract';
import { runTests } from '../../src/environments/grading/run-tests';
import { imageOf } from '../../src/environments/problem-environment';
import { openSandboxes } from '../../src/sandbox';
import type { Sandboxes } from '../../src/sandbox/sandbox';
import { FileBlobs } from '../../src/store/local/blobs';
import type { World } from '../../test/support/world';

/** The first run has cold files. */
const RUNS = 4;

interface Share {
  readonly name: string;
  readonly ms: number;
}

/** Where the milliseconds of a verdict go: on the server and around it, and within one run of the tests. */
export async function printProfile(world: World, problem: Problem, graded: WorkflowHandle): Promise<void> {
  console.log(`\nOne verdict with true expectations alone, ${problem.id}:\n`);
  print(await ofHistory(graded));
  console.log('\nIts run of the tests, in the engine:\n');
  print(await ofEngine(world, problem));
}

function print(shares: readonly Share[]): void {
  const all = shares.reduce((sum, { ms }) => sum + ms, 0);
  console.log('| | ms | share |\n|---|--:|--:|');
  const line = (name: string, ms: number) =>
    console.log(`| ${name} | ${ms.toFixed(0)} | ${((100 * ms) / all).toFixed(0)} % |`);
  for (const { name, ms } of shares) line(name, ms);
  line('all', all);
}

/** Each activity from its start to its end; what is left is the server's, between them. */
async function ofHistory(handle: WorkflowHandle): Promise<Share[]> {
  const { events } = await handle.fetchHistory();
  const msOf = ({ seconds = 0, nanos = 0 }: { seconds?: unknown; nanos?: unknown }) =>
    1000 * Number(seconds) + Number(nanos) / 1e6;
  const at = (event: { eventTime?: object | null }) => msOf(event.eventTime ?? {});
  const all = events ?? [];
  const shares = all.flatMap((event): Share[] => {
    const ended = event.activityTaskCompletedEventAttributes;
    if (!ended) return [];
    const by = (id: unknown) => all.find(({ eventId }) => String(eventId) === String(id))!;
    const { activityType } = by(ended.scheduledEventId).activityTaskScheduledEventAttributes!;
    return [{ name: `activity ${activityType?.name}`, ms: at(event) - at(by(ended.startedEventId)) }];
  });
  const whole = at(all.at(-1)!) - at(all[0]!);
  return [...shares, { name: 'between activities', ms: whole - shares.reduce((sum, { ms }) => sum + ms, 0) }];
}

/** Each call of the engine, in the order of the first. */
async function ofEngine(world: World, problem: Problem): Promise<Share[]> {
  const sandboxes = openSandboxes('bench');
  let shares: Share[] = [];
  /** The same object with the time of each of its promises taken; what claims answer is timed too. */
  const timed = <T extends object>(of: T, wrap: boolean): T =>
    new Proxy(of, {
      get(target, key) {
        const value = Reflect.get(target, key) as unknown;
        if (typeof value !== 'function') return value;
        return async (...given: [{ command?: string; path?: string }]) => {
          const began = performance.now();
          const answer = (await value.apply(target, given)) as object;
          shares.push({ name: nameOf(String(key), given[0]), ms: performance.now() - began });
          return wrap && key === 'claim' ? timed(answer, false) : answer;
        };
      },
    });
  try {
    for (let run = 0; run < RUNS; run++) {
      shares = [];
      const began = performance.now();
      await runTests(
        {
          blobs: new FileBlobs(world.home),
          sandboxes: timed<Pick<Sandboxes, 'remove' | 'claim'>>(sandboxes, true),
          image: async () => imageOf(problem),
        },
        {
          owner: { workflowId: `profile-${randomUUID()}`, firstRunId: randomUUID() },
          role: 'profile',
          problem,
          patch: problem.goldPatch!,
          files: [],
          scope: 'all',
          timeoutSeconds: problem.tests.timeoutSeconds,
          signal: new AbortController().signal,
        },
      );
      const own = performance.now() - began - shares.reduce((sum, { ms }) => sum + ms, 0);
      shares.push({ name: 'reading and deciding', ms: own });
    }
  } finally {
    sandboxes.close();
  }
  return shares;
}

function nameOf(call: string, given: { command?: string; path?: string } | readonly { path: string }[]): string {
  const what = Array.isArray(given)
    ? given.map(({ path }: { path: string }) => path.replace(/[0-9a-f]{16}/, '…')).join(', ')
    : (given as { command?: string }).command?.split('\n').at(-1);
  return what ? `${call}: ${what.slice(0, 60)}` : call;
}
