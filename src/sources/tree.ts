import { PointsmanError } from '../contract';

/** One file of a source tree. `link` is a symbolic link's target. */
export interface SourceFile {
  readonly bytes: Buffer;
  readonly executable: boolean;
  readonly link?: string;
}

/** A source tree by path, relative to its top. */
export type SourceTree = Map<string, SourceFile>;

const MAX_BYTES = 1 << 30;
const MAX_FILES = 500_000;
/** Characters; a kernel takes no longer ones. */
const MAX_PATH = 4096;

/** Collects what a hostile archive may hold: every path, link and size goes through here. */
export class TreeBuilder {
  readonly tree: SourceTree = new Map();
  /** Paths that are not in the tree, by why. */
  private readonly leftOut = new Map<string, string[]>();
  private bytes = 0;
  private entries = 0;

  constructor(private readonly source: string) {}

  /** What was counted so far as a tar holds it: each entry with a header, and filled up to a block. */
  get packedSize(): number {
    return this.bytes + this.entries * 1024;
  }

  /** To be called before bytes are kept, so that a bomb is noticed while it unpacks. */
  count(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > MAX_BYTES) throw refused(this.source, 'it unpacks to more than 1 GiB');
  }

  /** To be called for every entry: empty ones cost memory as well. */
  enter(): void {
    this.entries++;
    if (this.entries > MAX_FILES) throw refused(this.source, `it holds more than ${MAX_FILES} entries`);
  }

  file(path: string, bytes: Buffer, executable: boolean): void {
    this.keep(safePath(path, this.source), { bytes, executable });
  }

  /** One that leads out of the tree is left out: what it leads to is this host's, or nobody's. */
  link(path: string, target: string): void {
    const at = safePath(path, this.source);
    if (target !== NOWHERE && stepsOut(at, target, this.source)) this.leaveOut(LEADS_OUT, at);
    else this.keep(at, { bytes: Buffer.alloc(0), executable: false, link: target });
  }

  /** Notes on what is not in the tree, for whoever reads the result. */
  get notes(): string[] {
    return [...this.leftOut].map(([why, paths]) => {
      const more = paths.length > MOST_NAMED ? `, and ${paths.length - MOST_NAMED} more` : '';
      return `left out, ${why}: ${paths.slice(0, MOST_NAMED).join(', ')}${more}`;
    });
  }

  hardLink(path: string, target: string): void {
    const at = safePath(path, this.source);
    const file = this.tree.get(safePath(target, this.source));
    if (file) this.keep(at, file);
    else if (!isOfGit(at) && !isUnnamable(target)) throw refused(this.source, `${path} is a hard link to nothing`);
  }

  /** What belongs to Git stays behind, as it does of a folder: the pointer of a submodule that was packed along leads nowhere. */
  private keep(at: string, file: SourceFile): void {
    if (isOfGit(at)) return;
    if (isUnnamable(at)) this.leaveOut(UNNAMABLE, at);
    else this.tree.set(at, file);
  }

  private leaveOut(why: string, at: string): void {
    const paths = this.leftOut.get(why);
    if (paths) paths.push(at);
    else this.leftOut.set(why, [at]);
  }

  /**
   * The tree, without links that lead out of it by way of others. Throws `InvalidInput` where a file lies under a link of the
   * same tree, because it would be written to where that leads.
   */
  finished(): SourceTree {
    if (this.tree.size === 0) throw refused(this.source, 'it holds no file');
    for (const path of this.tree.keys()) {
      for (let end = path.indexOf('/'); end > 0; end = path.indexOf('/', end + 1)) {
        if (this.tree.has(path.slice(0, end))) throw refused(this.source, `${path} lies under what is no folder`);
      }
    }
    const steps = { left: MAX_STEPS };
    // Without one link others may lead elsewhere, so all are looked at again.
    for (let again = true; again; ) {
      again = false;
      for (const [path, { link }] of this.tree) {
        if (link === undefined || link === NOWHERE || !leadsOut(this.tree, path, steps)) continue;
        if (steps.left < 0) throw refused(this.source, `it takes too many steps to see where the link ${path} leads`);
        this.tree.delete(path);
        this.leaveOut(LEADS_OUT, path);
        again = true;
      }
    }
    return this.tree;
  }
}

/** Paths of one kind that a note names. */
const MOST_NAMED = 5;
const LEADS_OUT = 'as these links lead out of the sources';
const UNNAMABLE = 'as their names are not UTF-8';

/** What a unit of systemd that is masked, and a setting that is switched off, are links to: the same in every sandbox. */
const NOWHERE = '/dev/null';

/** A name of other bytes than UTF-8 is read with this mark, and no file could be written under the name that was meant. */
export const isUnnamable = (path: string) => path.includes('\uFFFD');

/** Links that one path may go through, as Linux has it. */
const MAX_LINKS = 40;
/** Names that are looked at for all links of a tree; one that needs more is made to need more. */
const MAX_STEPS = 20_000_000;

/** Follows a link as a kernel would. One that ends nowhere, or in a circle, leads nobody out. */
function leadsOut(tree: SourceTree, path: string, steps: { left: number }): boolean {
  const at = path.split('/').slice(0, -1);
  const open = tree.get(path)!.link!.split('/').reverse();
  for (let links = 1; open.length > 0; ) {
    if (--steps.left < 0) return true;
    const part = open.pop()!;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return true;
      continue;
    }
    const link = tree.get([...at, part].join('/'))?.link;
    if (link === undefined) at.push(part);
    else if (++links > MAX_LINKS) return false;
    else open.push(...link.split('/').reverse());
  }
  return false;
}

const isOfGit = (path: string) => path.split('/').includes('.git');

function safePath(path: string, source: string): string {
  if (path.length > MAX_PATH) throw refused(source, `it holds a path of ${path.length} characters`);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const hostile =
    parts.length === 0 || path.startsWith('/') || path.includes('\0') || path.split(/[/\\]/).includes('..');
  if (hostile) throw refused(source, `it holds the path ${JSON.stringify(path)}`);
  return parts.join('/');
}

/** Whether a link's own target goes above the top of the tree. */
function stepsOut(path: string, target: string, source: string): boolean {
  if (target.length > MAX_PATH) throw refused(source, `the link ${path} has a target of ${target.length} characters`);
  let depth = path.split('/').length - 1;
  for (const part of target.split('/')) {
    depth += part === '..' ? -1 : part === '' || part === '.' ? 0 : 1;
    if (depth < 0) return true;
  }
  return target.startsWith('/');
}

export function refused(source: string, why: string): PointsmanError {
  return new PointsmanError(
    'InvalidInput',
    `source ${source}: ${why}`,
    'Give a source archive (.tar, .tar.gz, .tar.xz, .tar.bz2, .zip) as its project publishes it.',
  );
}
