import { spawnSync } from 'node:child_process';
import {
  type BigIntStats,
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Who owns what no judged process may see: a root without powers cannot get past the mode of somebody else's folder. */
const NOBODY = 65_532;
/** File systems of the kernel. */
const NOT_WALKED = new Set(['/proc', '/sys', '/dev']);
/** What runs write as they like; all else of the machine no honest test changes. */
const USUAL = ['/root', '/home', '/tmp', '/var/tmp', '/var/cache', '/var/log', '/run'];

interface Entry {
  /** Changes whenever the file does; nobody can set back when it last changed. */
  readonly mark: string;
  readonly folder: boolean;
  readonly times: readonly [accessed: Date, modified: Date];
}

/** A run left something that cannot be put back: what comes after it would not begin as it began. */
export class Spoiled extends Error {
  override readonly name = 'Spoiled';
}

/**
 * The files of this machine as they were before anything was judged. One container has to do where a judge of ours takes a
 * fresh one for each run; so that no run learns from the one before, all that it changed is put back: new files go, those of
 * the work directory, of homes and of temporary folders come back from a copy that no judged process can read, and a change
 * anywhere else is `Spoiled`.
 */
export class Ground {
  private readonly owners = new Map<string, Stats>();
  private before: Map<string, Entry>;
  private readonly kept: readonly string[];

  /** `hidden`: folders that no judged process sees; the copy is in the first of them. */
  constructor(
    workdir: string,
    private readonly hidden: readonly [string, ...string[]],
  ) {
    for (const folder of hidden) {
      this.owners.set(folder, lstatSync(folder));
      chownSync(folder, NOBODY, NOBODY);
      chmodSync(folder, 0o700);
    }
    // Judged processes have no powers: what is another account's they could not change.
    must('chown', ['-hR', '0:0', workdir]);
    const wanted = [workdir, process.env.HOME ?? '/root', ...USUAL].filter((path) => path !== '/' && existsSync(path));
    this.kept = wanted.filter((path) => !wanted.some((other) => path.startsWith(`${other}/`)));
    for (const path of new Set(this.kept)) {
      const copy = this.copyOf(path);
      mkdirSync(dirname(copy), { recursive: true });
      must('cp', ['-a', '--', path, copy]);
    }
    this.before = this.walk();
    this.setTimes();
  }

  /** Gives a hidden folder back to whom it belonged. */
  reveal(folder: string): void {
    const { uid, gid, mode } = this.owners.get(folder)!;
    chownSync(folder, uid, gid);
    chmodSync(folder, mode & 0o7777);
  }

  private copyOf(path: string): string {
    return join(this.hidden[0], 'before', path);
  }

  /** Throws `Spoiled`. */
  putBack(): void {
    const now = this.walk();
    const gone = [...this.before.keys()].filter((path) => !now.has(path));
    const changed = [...now].flatMap(([path, { mark }]) => (this.before.get(path)?.mark === mark ? [] : [path]));
    for (const path of [...gone, ...changed]) {
      if (this.before.has(path) && !this.isKept(path))
        throw new Spoiled(`a run of the tests changed ${path}, which is not among the files that are put back`);
    }
    for (const path of changed) {
      if (!(this.before.get(path)?.folder && now.get(path)?.folder)) rmSync(path, { recursive: true, force: true });
    }
    for (const path of [...gone, ...changed].filter((each) => this.before.has(each)).sort()) {
      restore(this.copyOf(path), path);
    }
    for (const folder of ['/dev/shm', '/dev/mqueue']) emptied(folder);
    this.setTimes();
  }

  /** All at once and before each run, so that nothing tells by its times what a run did, or that there was one. */
  private setTimes(): void {
    for (const [path, { folder, times }] of this.before) {
      if (!folder && !this.isKept(path)) continue;
      try {
        lutimesSync(path, ...times);
      } catch (error) {
        // What is mounted so nobody can change.
        if ((error as NodeJS.ErrnoException).code !== 'EROFS') throw error;
      }
    }
    this.before = this.walk();
  }

  private isKept(path: string): boolean {
    return this.kept.some((each) => path === each || path.startsWith(`${each}/`));
  }

  private walk(): Map<string, Entry> {
    const found = new Map<string, Entry>();
    const open = ['/'];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        if (NOT_WALKED.has(path) || this.hidden.includes(path)) continue;
        const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
        if (!stats) continue;
        const entry = entryOf(stats);
        found.set(path, entry);
        if (entry.folder) open.push(path);
      }
    }
    return found;
  }
}

function entryOf(stats: BigIntStats): Entry {
  const { mode, uid, gid, ino, size, ctimeNs, atime, mtime } = stats;
  const folder = stats.isDirectory();
  // A folder changes with each name in it, and names are looked at themselves.
  const mark = (folder ? [mode, uid, gid] : [mode, uid, gid, ino, size, ctimeNs]).join(' ');
  return { folder, mark, times: [atime, mtime] };
}

function restore(copy: string, path: string): void {
  const stats = lstatSync(copy);
  if (stats.isDirectory()) mkdirSync(path, { recursive: true });
  else if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(copy), path);
    lchownSync(path, stats.uid, stats.gid);
    return;
  } else if (stats.isFile()) copyFileSync(copy, path);
  else throw new Spoiled(`a run of the tests changed ${path}, which is no file`);
  chownSync(path, stats.uid, stats.gid);
  chmodSync(path, stats.mode & 0o7777);
}

function emptied(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

function must(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
