import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PointsmanError, parseSource } from './contract';
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
  ) {
    this.folders = [home, join(REPOSITORY, 'examples'), ...folders];
  }

  /** For what an operator does by himself, who reads what his account reads. */
  static readonly any = new Roots('', ['/']);

  /** Gives the path back where it may be read. Throws `InvalidInput` else, whether or not there is something. */
  allowed(path: string, what: string): string {
    this.rootOf(path, what);
    return path;
  }

  /** The real folder, named by the operator, below which the path really is. Throws as `allowed` does. */
  rootOf(path: string, what: string): string {
    const real = realOf(resolve(path));
    for (const folder of this.folders.map((each) => realOf(resolve(each)))) if (isWithin(real, folder)) return folder;
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
