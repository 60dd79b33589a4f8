import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  keptPath,
  nearest,
  PointsmanError,
  Problem,
  ProblemControls,
  type ProblemSource,
  parseInput,
  type Ref,
} from '../contract';
import { Roots } from '../roots';
import type { BlobStore } from './blobs';
import type { Documents } from './documents';

/**
 * Problems as files: a folder with `problem.json`, or a JSON file. An id is looked up in the home's `problems` folder.
 * Test files may name a `file` beside the problem; in the store they are blobs.
 */
export class Problems {
  constructor(
    private readonly folder: string,
    private readonly blobs: BlobStore,
    /** What is known of tests, by the digest of the problem. */
    private readonly controls: Documents,
    private readonly roots: Roots = Roots.any,
  ) {}

  list(): Problem[] {
    if (!existsSync(this.folder)) return [];
    return readdirSync(this.folder)
      .filter((name) => existsSync(join(this.folder, name, 'problem.json')))
      .map((name) => this.read(join(this.folder, name, 'problem.json')));
  }

  /** Throws `NotFound` with the ids that exist, or `InvalidInput` with the field. */
  async find(source: ProblemSource): Promise<Problem> {
    if (typeof source === 'object' && 'sha256' in source) return this.kept(source);
    const sent = typeof source === 'string' && keptPath(source) !== undefined;
    return this.resolve(sent ? await this.roots.here(source, 'problem') : source);
  }

  /** The same for what needs no blob. */
  resolve(source: Exclude<ProblemSource, Ref>): Problem {
    if (typeof source !== 'string') return source;
    if (source.includes('/')) this.roots.allowed(resolve(source), 'problem');
    const candidates = [source, join(source, 'problem.json'), join(this.folder, source, 'problem.json')].map((path) =>
      resolve(path),
    );
    const found = candidates.find((path) => existsSync(path) && statSync(path).isFile());
    if (found) return this.read(found);
    const ids = existsSync(this.folder) ? readdirSync(this.folder).filter((name) => !name.startsWith('.')) : [];
    const close = nearest(source, ids);
    throw new PointsmanError(
      'NotFound',
      `problem: no id, folder or file "${source}"${close ? `, did you mean "${close}"?` : ids.length ? ` (known ids: ${ids.join(', ')})` : ''}`,
      'Make one with `pointsman problem init`; `pointsman problem list` shows those there are.',
    );
  }

  /** As any host finds it that shares the store: an id of this home becomes a blob, and all else stays as it is. */
  async portable(source: ProblemSource): Promise<ProblemSource> {
    if (typeof source !== 'string' || source.includes('/')) return source;
    const file = join(this.folder, source, 'problem.json');
    return existsSync(file) ? this.keep(this.read(file)) : source;
  }

  /** Keeps a problem as a blob, with the bodies of its test files, so that histories carry a hash and not the tests. */
  async keep(problem: Problem): Promise<Ref> {
    return this.blobs.put(JSON.stringify(problem));
  }

  async kept(ref: Ref): Promise<Problem> {
    return JSON.parse((await this.blobs.get(ref.sha256)).toString('utf8')) as Problem;
  }

  /** What is known of the tests of a problem that was kept; null where nobody has looked. */
  async keptControls({ sha256 }: Ref): Promise<ProblemControls | null> {
    const text = await this.controls.get(sha256);
    return text === undefined ? null : parseInput(ProblemControls, JSON.parse(text), this.controls.addressOf(sha256));
  }

  /** The last to write wins: both know the same. */
  async keepControls({ sha256 }: Ref, controls: ProblemControls): Promise<void> {
    await this.controls.put(sha256, JSON.stringify(controls));
  }

  private read(file: string): Problem {
    const text = readFileSync(file, 'utf8');
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new PointsmanError(
        'InvalidInput',
        `${file}: not JSON: ${(error as Error).message}`,
        'Write it again with `pointsman problem init`.',
      );
    }
    return parseInput(Problem, value, file);
  }
}
