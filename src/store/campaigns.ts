import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonLines, nearest, PointsmanError, RolloutRow } from '../contract';
import { entryName, nameOfEntry } from './entry-name';

/** `rollouts.jsonl` of each campaign that has ended, by its workflow id: they outlive the server's memory of it. */
export class Campaigns {
  constructor(private readonly folder: string) {}

  /** Replaces the file as a whole, so that writing again after a retry is safe. Returns its path. */
  write(campaign: string, rollouts: string): string {
    const path = this.pathOf(campaign);
    mkdirSync(join(path, '..'), { recursive: true });
    const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
    writeFileSync(temporary, rollouts);
    renameSync(temporary, path);
    return path;
  }

  /** Throws `NotFound` with the name that comes closest. */
  async rows(campaign: string): Promise<RolloutRow[]> {
    const path = this.pathOf(campaign);
    if (!existsSync(path)) {
      const close = nearest(campaign, this.list());
      throw new PointsmanError(
        'NotFound',
        `campaign: no rollouts of "${campaign}" are kept here${close ? `, did you mean "${close}"?` : ''}`,
        'A campaign keeps them when it ends; `pointsman campaign list` shows those there are.',
      );
    }
    return rowsOf(await readFile(path, 'utf8'), path);
  }

  list(): string[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder).map(nameOfEntry).sort();
  }

  pathOf(campaign: string): string {
    return join(this.folder, entryName(campaign), 'rollouts.jsonl');
  }
}

/** Reads lines of `RolloutRow`. Throws `InvalidInput` with the line's number and the field. */
export function rowsOf(text: string, file: string): RolloutRow[] {
  return jsonLines(RolloutRow, text, file, 'Each line is one rollout, as `pointsman campaign export` writes them.');
}
