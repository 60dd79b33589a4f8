import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Timing } from '../../contract/step';
import type { Timings } from '../timings';

/** A file a run, and a line a step. */
export class FileTimings implements Timings {
  private ready = false;

  constructor(private readonly folder: string) {}

  async record(run: string, timing: Timing): Promise<void> {
    if (!this.ready) mkdirSync(this.folder, { recursive: true });
    this.ready = true;
    appendFileSync(this.fileOf(run), `${JSON.stringify(timing)}\n`);
  }

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
