import { writeSync } from 'node:fs';

/** One line with what a chaos test saw. Written to the descriptor, because jest frames what goes through the console. */
export function figures(promise: string, values: Record<string, unknown>): void {
  const words = Object.entries(values).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? round(value) : value}`,
  );
  writeSync(2, `▸ ${promise}: ${words.join(', ')}\n`);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
