import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { PointsmanError } from '../contract';

/** Folders that hold no source of the repository itself. */
const LEFT_OUT = new Set([
  '.git',
  '.hg',
  '.svn',
  '.tox',
  '.nox',
  '.eggs',
  'node_modules',
  '__pycache__',
  'site-packages',
]);
/** Generated tables of several megabytes hold no function that anyone reads. */
const LARGEST = 2_000_000;

export interface PythonFile {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  readonly text: string;
}

/**
 * The Python files of a folder, in the order of their paths: without version control, caches, installed packages and
 * virtual environments, links and very large files. A file that is not UTF-8 is read as its coding line says, if Latin-1.
 */
export function readPythonFiles(dir: string): PythonFile[] {
  if (!existsSync(dir) || !statSync(dir).isDirectory())
    throw new PointsmanError('InvalidInput', `no folder ${dir}`, 'Give the folder of a repository.');
  return [...filesIn(dir)]
    .map((file) => ({ path: relative(dir, file).split(sep).join('/'), text: textOf(readFileSync(file)) }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function* filesIn(dir: string): Generator<string> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) {
      if (!LEFT_OUT.has(entry.name) && !existsSync(join(path, 'pyvenv.cfg'))) yield* filesIn(path);
    } else if (entry.isFile() && entry.name.endsWith('.py') && statSync(path).size <= LARGEST) yield path;
  }
}

function textOf(bytes: Buffer): string {
  const head = bytes.subarray(0, 200).toString('latin1').split('\n', 2).join('\n');
  const coding = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/m.exec(head)?.[1]?.toLowerCase();
  const latin = coding !== undefined && /^(latin-?1|iso-8859-1|iso-latin-1|cp1252|windows-1252)/.test(coding);
  const text = bytes.toString(latin ? 'latin1' : 'utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}
