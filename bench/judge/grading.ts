import { randomUUID } from 'node:crypto';
import type { World } from '../../test/support/world';

/** Problems at once: more would take time from each other, and tests fail by timing. */
const AT_ONCE = 2;

/** Runs a workflow of the product to its end. */
export async function ask<Result>(world: World, type: string, input: object): Promise<Result> {
  const handle = await world.begin(type, input, `${type}/${randomUUID()}`);
  return (await handle.result()) as Result;
}

/** `work` for each, two at once in their order; none is begun after `minutes`. */
export async function inTurn<Each>(
  each: readonly Each[],
  minutes: number,
  work: (one: Each) => Promise<void>,
): Promise<void> {
  const until = Date.now() + minutes * 60_000;
  const waiting = each.values();
  const worker = async () => {
    for (const next of waiting) if (Date.now() < until) await work(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Why something failed, through all layers of it. */
export function causesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${causesOf(error.cause)}`;
}

/** In a cell of a table, on a line. */
export function inCell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 400);
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
