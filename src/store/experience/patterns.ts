import { Worker } from 'node:worker_threads';
import { type Evidence, type PatternHits, requiredText } from '../../setup/experience';

/** Milliseconds for one pattern. A sound one takes microseconds; the rest is room for a busy machine. */
const FOR_ONE = 250;
const FOR_ALL = 3_000;

export interface Tried {
  readonly hits: PatternHits;
  /** Patterns that did not end in time. */
  readonly tooSlow: readonly string[];
}

/**
 * Tries patterns on an error in a thread of its own: JavaScript cannot interrupt a regular expression, but a thread can be
 * ended. The pattern that was being tried then is skipped, and the rest goes on in a new thread.
 */
export async function tryPatterns(all: readonly string[], evidence: Evidence): Promise<Tried> {
  const text = `${evidence.key}\n${evidence.whole}`.toLowerCase();
  const patterns = all.filter((pattern) => text.includes(requiredText(pattern)));
  // Without a prototype: a pattern may be named like something that every object has.
  const hits: Record<string, 'key' | 'whole'> = Object.create(null);
  const tooSlow: string[] = [];
  const until = performance.now() + FOR_ALL;
  let from = 0;
  while (from < patterns.length && performance.now() < until) {
    const progress = new Int32Array(new SharedArrayBuffer(8));
    progress[0] = from;
    const stuckAt = await inThread(patterns, evidence, progress, hits, until);
    if (stuckAt === undefined) return { hits, tooSlow };
    tooSlow.push(patterns[stuckAt]!);
    from = stuckAt + 1;
  }
  return { hits, tooSlow: [...tooSlow, ...patterns.slice(from)] };
}

/** Undefined when all were tried, else the index of the one that was not finished. */
async function inThread(
  patterns: readonly string[],
  evidence: Evidence,
  progress: Int32Array,
  hits: Record<string, 'key' | 'whole'>,
  until: number,
): Promise<number | undefined> {
  const thread = new Worker(THREAD, { eval: true, execArgv: [], workerData: { patterns, evidence, progress } });
  try {
    return await new Promise((resolve, reject) => {
      let seen = -1;
      let since = performance.now();
      const watch = setInterval(() => {
        // Before its first pattern the thread is starting, which a busy machine may delay as long as it likes.
        if (Atomics.load(progress, 1) === 0) return;
        const at = Atomics.load(progress, 0);
        if (at !== seen) [seen, since] = [at, performance.now()];
        else if (performance.now() - since > FOR_ONE || performance.now() > until + FOR_ALL) {
          clearInterval(watch);
          resolve(at);
        }
      }, 20);
      thread.on('message', (found: { pattern?: string; where?: 'key' | 'whole'; done?: true }) => {
        if (found.pattern !== undefined && found.where) hits[found.pattern] = found.where;
        if (!found.done) return;
        clearInterval(watch);
        resolve(undefined);
      });
      thread.once('error', (error) => {
        clearInterval(watch);
        reject(error);
      });
    });
  } finally {
    await thread.terminate();
  }
}

/** Plain JavaScript, because a thread has no compiler. Patterns that do not compile are no hits. */
const THREAD = `
const { parentPort, workerData: { patterns, evidence, progress } } = require('node:worker_threads');
Atomics.store(progress, 1, 1);
for (let at = progress[0]; at < patterns.length; at++) {
  Atomics.store(progress, 0, at);
  const pattern = patterns[at];
  let where;
  try {
    const expression = new RegExp(pattern, 'im');
    where = expression.test(evidence.key) ? 'key' : expression.test(evidence.whole) ? 'whole' : undefined;
  } catch {}
  if (where) parentPort.postMessage({ pattern, where });
}
parentPort.postMessage({ done: true });
`;
