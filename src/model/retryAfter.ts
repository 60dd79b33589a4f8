/** Longer waits are cut: asking again after a quarter of an hour is cheap, and some servers send days. */
const LONGEST_MS = 15 * 60_000;

/**
 * How long the server asks us to wait, in milliseconds: `retry-after-ms`, then `retry-after` in seconds or as an HTTP
 * date. Undefined when it says nothing usable, or names a moment that has passed.
 */
export function retryAfterMs(headers: Pick<Headers, 'get'> | undefined, now = Date.now()): number | undefined {
  const wait = asked(headers?.get('retry-after-ms'), headers?.get('retry-after'), now);
  return wait !== undefined && wait > 0 ? Math.min(Math.ceil(wait), LONGEST_MS) : undefined;
}

function asked(ms: string | null | undefined, after: string | null | undefined, now: number): number | undefined {
  const inMs = decimal(ms);
  if (inMs !== undefined) return inMs;
  const inSeconds = decimal(after);
  if (inSeconds !== undefined) return inSeconds * 1000;
  // V8 reads a bare word with a digit as a year, so only what starts like a weekday is taken for a date.
  const date = after && /^[A-Za-z]{3}/.test(after.trim()) ? Date.parse(after) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - now;
}

function decimal(text: string | null | undefined): number | undefined {
  const trimmed = text?.trim();
  return trimmed && /^-?\d+(\.\d+)?s?$/.test(trimmed) ? Number.parseFloat(trimmed) : undefined;
}
