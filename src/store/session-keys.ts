import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { PointsmanError } from '../contract/errors';

const Kept = z.strictObject({
  /** The one address that it may be sent to. */
  baseUrl: z.string(),
  key: z.string(),
  /** Workflow whose end is the key's. */
  owner: z.string(),
});
type Kept = z.infer<typeof Kept>;

const NAME = /^[0-9a-f]{64}$/;

/**
 * Keys that a trainer gave for one rollout, a file each that only this account reads: payloads carry their names, and whoever
 * knows a name can have the key sent nowhere but to the address that it was given for.
 */
export class SessionKeys {
  constructor(private readonly folder: string) {}

  /** Keeps a key, in place of one of the same name. */
  async keep(name: string, kept: Kept): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const file = this.fileOf(name);
    const beside = `${file}.${randomUUID()}`;
    await writeFile(beside, JSON.stringify(kept), { mode: 0o600 });
    await rename(beside, file);
  }

  /** Throws `InvalidInput` where there is none of that name, or where it is for another address. */
  async read(name: string, baseUrl: string): Promise<string> {
    const kept = await this.kept(name);
    if (!kept) {
      throw new PointsmanError(
        'InvalidInput',
        'the key of this rollout is not kept here any more',
        'Send the rollout to `pointsman serve` again, with its key; workers must share its home.',
      );
    }
    if (kept.baseUrl !== baseUrl) {
      throw new PointsmanError('InvalidInput', `the key of this rollout is not for ${baseUrl}`, 'Give one for it.');
    }
    return kept.key;
  }

  async remove(name: string): Promise<void> {
    await rm(this.fileOf(name), { force: true });
  }

  /** Names, each with the workflow that it is for. */
  async all(): Promise<{ readonly name: string; readonly owner: string }[]> {
    const files = await readdir(this.folder).catch(() => []);
    const found = await Promise.all(
      files
        .filter((name) => NAME.test(name))
        .map(async (name) => ({ name, owner: (await this.kept(name))?.owner ?? '' })),
    );
    return found;
  }

  private async kept(name: string): Promise<Kept | undefined> {
    const text = await readFile(this.fileOf(name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return text === undefined ? undefined : Kept.parse(JSON.parse(text));
  }

  private fileOf(name: string): string {
    if (!NAME.test(name))
      throw new PointsmanError('InvalidInput', 'this is no name of a key', 'Names are 64 hex digits.');
    return join(this.folder, name);
  }
}
