/** Figures as people read them: units, few digits, the same width everywhere. */

export function duration(ms: number): string {
  if (ms < 995) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours} h ${two(minutes)} min` : `${minutes} min ${two(rest)} s`;
}

/** USD; small sums keep two digits that say something. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  return usd >= 0.995 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(2)}`;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** The time in UTC, to the second: `2026-03-01 14:05:09`. */
export function moment(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}
