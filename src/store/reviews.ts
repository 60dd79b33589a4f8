import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseInput, Review } from '../contract';
import { entryName, nameOfEntry } from './entry-name';

const END = '.json';

/** What people and models said of verdicts, a file for each rollout in the home. The last word counts. */
export class Reviews {
  constructor(private readonly folder: string) {}

  /** Rollouts that somebody said something of: seldom many, so that nobody asks for each of a hundred thousand. */
  async reviewed(): Promise<Set<string>> {
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
    return new Set(names.filter((name) => name.endsWith(END)).map((name) => nameOfEntry(name.slice(0, -END.length))));
  }

  async of(rollout: string): Promise<Review | undefined> {
    const file = this.fileOf(rollout);
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    return text === undefined ? undefined : parseInput(Review, JSON.parse(text), file);
  }

  async keep(rollout: string, review: Review): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const file = this.fileOf(rollout);
    const draft = `${file}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, JSON.stringify(review));
    await rename(draft, file);
  }

  private fileOf(rollout: string): string {
    return join(this.folder, `${entryName(rollout)}${END}`);
  }
}
