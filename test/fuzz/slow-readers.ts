import { createContext, Script } from 'node:vm';
import { hostileTexts } from './hostile';
import type { Reader } from './readers';

/** A call that has not ended then is ended: it would run for hours. */
const GIVE_UP_MS = 20_000;
/** What takes less of the processor is not looked at further. */
const QUICK_MS = 250;
/** Ten times the text: ten times as long in a linear reader, a hundred times in a quadratic one. */
const [TIMES, GROWTH] = [10, 28];

const TRIES = 4;

const CALL = new Script('state.call()');
const STATE: { call?: () => void } = {};
const CONTEXT = createContext({ state: STATE });

/** Milliseconds of the processor; infinite when it was given up. What a reader throws is an answer as well. */
function timeOf(reader: Reader, text: string): number {
  STATE.call = () => {
    try {
      reader(text);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    }
  };
  const began = process.cpuUsage();
  try {
    CALL.runInContext(CONTEXT, { timeout: GIVE_UP_MS });
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

interface Tried {
  readonly size: number;
  readonly seed?: number | undefined;
  /** What takes no longer may grow as it will. */
  readonly allowedMs?: number | undefined;
  /** Milliseconds after which no other text is tried. */
  readonly patienceMs?: number;
}

/**
 * On which hostile texts of that length a reader's time grows faster than the text. No time is a limit by itself, because
 * machines differ and are busy: what took long is compared with a tenth of the same text.
 */
export function slowTexts(
  reader: Reader,
  { size, seed, allowedMs = 0, patienceMs = Number.POSITIVE_INFINITY }: Tried,
): { readonly slow: readonly string[]; readonly tried: number } {
  const slow: string[] = [];
  const short = hostileTexts(size / TIMES, seed);
  const until = performance.now() + patienceMs;
  let tried = 0;
  for (const [name, text] of hostileTexts(size, seed)) {
    const less = short.next().value as readonly [string, string];
    if (performance.now() > until) break;
    tried += 1;
    let [long, part] = [timeOf(reader, text), Number.POSITIVE_INFINITY];
    if (long < QUICK_MS) continue;
    const tooLong = () => !(long <= Math.max(QUICK_MS, allowedMs) || long <= GROWTH * Math.max(part, 2));
    // A machine with other work makes some tries slow, and none quick: one that was quick enough settles it.
    for (let tries = 0; tries < TRIES; tries++) {
      part = Math.min(part, timeOf(reader, less[1]), timeOf(reader, less[1]));
      if (!tooLong()) break;
      long = Math.min(long, timeOf(reader, text));
    }
    if (tooLong()) slow.push(`${name}: ${Math.round(part)} ms for a tenth, ${Math.round(long)} ms for the whole`);
  }
  return { slow, tried };
}
