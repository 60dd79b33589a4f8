import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type KeptPath, keptPath, nameKept, PointsmanError, parseSource, type View } from './contract';
import { REPOSITORY } from './home';

/** What a command line notes in the home: folders and files that the operator named. */
const NAMED = 'named-paths';

/**
 * The files of this host that a workflow's input may name. Whoever reaches the task queue may start workflows, and must
 * not have a worker read its account's files for him. What may be read: the home, our examples, `sources.roots` of the
 * configuration, and what was named on a command line of this home, which nobody else can write to.
 */
export class Roots {
  private readonly folders: readonly string[];

  constructor(
    private readonly home: string,
    folders: readonly string[],
    /** Where hosts share what they keep: then an input names what was sent along, and no path that one of them has. */
    private readonly sent?: SentPaths,
  ) {
    this.folders = [sent ? sent.folder : home, join(REPOSITORY, 'examples'), ...folders];
  }

  /** For what an operator does by himself, who reads what his account reads. */
  static readonly any = new Roots('', ['/']);

  /**
   * Where this host has a file or folder that an input names: the path itself, or what was sent along, fetched. Throws as
   * `allowed` does, and `NotFound` where what was sent is gone. `links` are refused where they are not asked for.
   */
  async here(path: string, what: string, { links = false } = {}): Promise<string> {
    const kept = keptPath(path);
    if (kept && this.sent) return this.sent.fetch(kept, links);
    return this.allowed(path, what);
  }

  /** Gives the path back where it may be read. Throws `InvalidInput` else, whether or not there is something. */
  allowed(path: string, what: string): string {
    this.rootOf(path, what);
    return path;
  }

  /** The real folder, named by the operator, below which the path really is. Throws as `allowed` does. */
  rootOf(path: string, what: string): string {
    const real = realOf(resolve(path));
    for (const folder of this.folders.map((each) => realOf(resolve(each)))) if (isWithin(real, folder)) return folder;
    if (this.sent) {
      throw new PointsmanError(
        'InvalidInput',
        `${what}: ${path} is a path of one host, and any host of this fleet may be the one to read it`,
        'Start it with `pointsman`, which sends along what you name, or put a folder that all hosts have into `sources.roots` of pointsman.yaml.',
      );
    }
    for (let at = real; ; at = dirname(at)) {
      if (existsSync(noteOf(this.home, at))) return at;
      if (at === dirname(at)) break;
    }
    throw new PointsmanError(
      'InvalidInput',
      `${what}: ${path} is no path that a workflow may have read here`,
      'Start it with `pointsman`, which notes what you name, or put its folder into `sources.roots` of pointsman.yaml.',
    );
  }
}

/** A view that an input names, with its prompts where this host has them. Throws as `Roots.here` does. */
export async function viewHere(roots: Roots, view: View): Promise<View> {
  return view.prompts === undefined ? view : { ...view, prompts: await roots.here(view.prompts, 'view.prompts') };
}

/** Files that were sent along with inputs: where this host has them, and how it gets them. */
export interface SentPaths {
  readonly folder: string;
  fetch(kept: KeptPath, links: boolean): Promise<string>;
}

/** Fields of inputs that hold paths; sources say by their names that they do. */
const FIELDS = ['problem', 'problems', 'rollouts', 'tokenizer', 'path', 'prompts'];

/** Notes the paths that an input names: whoever gives a command line an input wants what is there to be read. */
export function nameRoots(home: string, input: unknown): void {
  for (const path of pathsIn(input, '')) {
    if (!existsSync(path)) continue;
    const note = noteOf(home, realpathSync(path));
    mkdirSync(dirname(note), { recursive: true });
    writeFileSync(note, `${path}\n`);
  }
}

/** How what an input names is sent along. */
export interface Sender {
  /** Whether all hosts have it anyway. */
  isEverywhere(path: string): boolean;
  /** Where this home has the problem of that name; undefined where it has none. */
  problem(name: string): string | undefined;
  /** Keeps a file or folder, and gives its digest. Of the folder of a source, links stay links. */
  send(path: string, isSource: boolean): Promise<{ readonly sha256: string }>;
}

/**
 * An input for a fleet: what it names of this host is sent along, and named by its digest. What is not here stays as it is,
 * and is for the host that reads it to judge. Throws `InvalidInput` for a repository of this host.
 */
export async function sendPaths(input: unknown, sender: Sender): Promise<unknown> {
  const sent = async (path: string, isSource: boolean): Promise<string> => {
    if (!existsSync(path) || sender.isEverywhere(path)) return path;
    const { sha256 } = await sender.send(path, isSource);
    return nameKept({ sha256, path: resolve(path) });
  };
  const visit = async (value: unknown, field: string): Promise<unknown> => {
    if (typeof value === 'string') {
      if (value.startsWith('/')) return FIELDS.includes(field) ? sent(value, false) : value;
      const problem = ['problem', 'problems'].includes(field) ? sender.problem(value) : undefined;
      if (problem !== undefined) return sent(problem, false);
      if (!/^(dir|archive|git\+file):/.test(value)) return value;
      const [path] = pathOf(value);
      if (path === undefined || sender.isEverywhere(path)) return value;
      if (value.startsWith('git+file:')) throw unsendable(value);
      return value.replace(path, await sent(path, value.startsWith('dir:')));
    }
    if (Array.isArray(value)) return Promise.all(value.map((each) => visit(each, field)));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(async ([name, each]) => [name, await visit(each, name)] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
  return visit(input, '');
}

function unsendable(source: string): PointsmanError {
  return new PointsmanError(
    'InvalidInput',
    `source ${source}: a repository of one host, and any host of this fleet may be the one to read it`,
    'Push it to a server that they reach, or name its work tree as dir:/PATH.',
  );
}

function pathsIn(value: unknown, field: string): string[] {
  if (typeof value === 'string') {
    if (value.startsWith('/')) return FIELDS.includes(field) ? [value] : [];
    return /^(dir|archive|git\+file):/.test(value) ? pathOf(value) : [];
  }
  if (Array.isArray(value)) return value.flatMap((each) => pathsIn(each, field));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => pathsIn(each, name));
}

/** Of a source that is on this host. What is no source is refused where it is used. */
function pathOf(source: string): string[] {
  try {
    const spec = parseSource(source);
    if (spec.kind === 'dir') return [spec.path];
    if (spec.kind === 'git') return [fileURLToPath(spec.url)];
    return spec.kind === 'archive' && spec.location.startsWith('/') ? [spec.location] : [];
  } catch {
    return [];
  }
}

function noteOf(home: string, real: string): string {
  return join(home, NAMED, createHash('sha256').update(real).digest('hex'));
}

/** Where a path leads, links followed as far as there is anything. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path)
      ? path
      : join(realOf(dirname(path)), path.slice(dirname(path).length).replace(/^\/+/, ''));
  }
}

/** Both real. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
