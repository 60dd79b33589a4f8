import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Timing } from '../contract/step';

/**
 * What steps took, a line each, beside the chain: two runs that did the same have the same chain whatever the machine's
 * mood. A step may appear twice after a retry or a rebuilt sandbox; the last line holds.
 */
export class Timings {
  private ready = false;

  constructor(private readonly folder: string) {}

  record(run: string, timing: Timing): void {
    if (!this.ready) mkdirSync(this.folder, { recursive: true });
    this.ready = true;
    appendFileSync(this.fileOf(run), `${JSON.stringify(timing)}\n`);
  }

  /** By turn; empty for an unknown run. */
  async of(run: string): Promise<Map<number, Timing>> {
    const text = await readFile(this.fileOf(run), 'utf8').catch(() => '');
    const timings = new Map<number, Timing>();
    for (const line of text.split('\n')) {
      const timing = parseLine(line);
      if (timing) timings.set(timing.turn, timing);
    }
    return timings;
  }

  private fileOf(run: string): string {
    return join(this.folder, `${createHash('sha256').update(run).digest('hex').slice(0, 32)}.jsonl`);
  }
}

/** A line that a kill cut short is skipped: a missing duration is no reason to refuse to show a trajectory. */
function parseLine(line: string): Timing | undefined {
  try {
    return Timing.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
