import { existsSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  isPointsmanError,
  jsonAt,
  keptPath,
  nearest,
  numberedLines,
  PointsmanError,
  Problem,
  type ProblemSource,
  parseInput,
  Ref,
} from '../../contract';
import { formatOfRow, readRow } from '../../problems/readers';
import type { Roots } from '../../roots';
import type { BlobStore } from '../../store/blobs';
import type { Problems } from '../../store/problems';
import { assertGradable } from '../problems/problem';
import { type CampaignInstance, keyOf } from './plan';

/** A problem that was asked for, and where: `problems.jsonl: line 3`. */
interface Named {
  readonly where: string;
  /** Undefined for a line that says by itself what it is. */
  readonly source: ProblemSource | { readonly row: string };
  /** Folder that paths are told from. */
  readonly folder: string;
}

/** Everything that a campaign can be given as problems becomes blobs, checked before anything starts. */
export class CampaignProblems {
  constructor(
    private readonly problems: Problems,
    private readonly blobs: BlobStore,
    private readonly roots: Roots,
  ) {}

  /** Throws `InvalidInput` that names the line and the field, or the id of `only` that is not there. */
  async open(source: string | Ref | readonly ProblemSource[], only: readonly string[]): Promise<CampaignInstance[]> {
    const named = await this.named(source);
    const found = new Map<string, { problem: Problem; where: string }>();
    for (const each of named) {
      const problem = await this.read(each);
      const other = found.get(problem.id);
      if (other) throw refused(`${each.where}: ${other.where} has the same id ${problem.id}`, 'Keep one of them.');
      found.set(problem.id, { problem, where: each.where });
    }
    if (found.size === 0) throw refused('problems: there is none', 'A campaign needs one problem at least.');
    const ids = [...found.keys()];
    for (const id of only) if (!found.has(id)) throw unknownId(id, ids);
    const wanted = only.length === 0 ? ids : ids.filter((id) => only.includes(id));
    return Promise.all(
      wanted.map(async (id): Promise<CampaignInstance> => {
        const { problem } = found.get(id)!;
        return { id, key: keyOf(id), problem: await this.problems.keep(problem), licence: problem.licence ?? null };
      }),
    );
  }

  private async named(source: string | Ref | readonly ProblemSource[]): Promise<Named[]> {
    if (Array.isArray(source)) {
      const folder = process.cwd();
      return source.map((each, at) => ({ where: `problems.${at}`, source: each, folder }));
    }
    if (typeof source !== 'string') {
      const { sha256 } = source as Ref;
      const text = (await this.blobs.get(sha256)).toString('utf8');
      return linesOf(text, `blob ${sha256.slice(0, 12)}`, process.cwd());
    }
    const path = await this.roots.here(keptPath(source) ? source : resolve(source), 'problems');
    if (!existsSync(path)) throw absent(source);
    if (statSync(path).isDirectory()) return inFolder(path);
    const text = await readFile(path, 'utf8');
    // A single problem.json is many lines of one object, which no JSONL is.
    if (path.endsWith('.json') && isProblem(text)) return [{ where: path, source: path, folder: dirname(path) }];
    return linesOf(text, source, dirname(path));
  }

  private async read({ where, source, folder }: Named): Promise<Problem> {
    try {
      const problem = await this.found(source, folder);
      assertGradable(problem);
      return problem;
    } catch (error) {
      if (!isPointsmanError(error)) throw error;
      // The reader of a row counts its lines by itself, and there is one.
      throw refused(`${where}: ${error.message.replace(/^line 1: /, '')}`, error.hint);
    }
  }

  private async found(source: Named['source'], folder: string): Promise<Problem> {
    if (typeof source === 'string') {
      const beside = resolve(folder, source);
      return this.problems.find(existsSync(beside) ? beside : source);
    }
    if ('row' in source) {
      return readRow(JSON.parse(source.row), 1).problem;
    }
    return parseInput(Problem, await this.problems.find(source), 'problem');
  }
}

/** `problem.json` of each folder in it, or the JSON files themselves. */
async function inFolder(folder: string): Promise<Named[]> {
  const list = join(folder, 'problems.jsonl');
  if (existsSync(list)) return linesOf(await readFile(list, 'utf8'), list, folder);
  if (existsSync(join(folder, 'problem.json'))) return [{ where: folder, source: folder, folder }];
  const names = (await readdir(folder)).sort();
  const paths = names
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, 'problem.json')) || path.endsWith('.json'));
  if (paths.length > 0) return paths.map((path) => ({ where: path, source: path, folder }));
  throw refused(
    `problems: ${folder} holds no problem`,
    'It may hold problems.jsonl, a problem.json, or folders that have one each.',
  );
}

function linesOf(text: string, name: string, folder: string): Named[] {
  return numberedLines(text, name).map(({ line, where }) => ({ where, source: sourceOf(line.trim(), where), folder }));
}

function sourceOf(line: string, where: string): Named['source'] {
  // A path or an id may stand there as it is.
  if (!/^[{["]/.test(line)) return line;
  const value = jsonAt({ line, where }, 'Each line is one problem, or where to find it.');
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refused(`${where}: expected a problem, a path, an id or a blob`, 'See examples/schemas/problem.json.');
  if ('sha256' in value) return parseInput(Ref, value, where);
  if (formatOfRow(value) || 'instance_id' in value) return { row: line };
  return parseInput(Problem, value, where);
}

function isProblem(text: string): boolean {
  try {
    return 'statement' in (JSON.parse(text) as object);
  } catch {
    return false;
  }
}

function absent(path: string): PointsmanError {
  return refused(
    `problems: there is nothing at ${path} on the worker's host`,
    'Give a JSONL file or a folder as the worker finds it, or a blob.',
  );
}

function unknownId(id: string, known: readonly string[]): PointsmanError {
  const close = nearest(id, known);
  return refused(
    `only: no problem "${id}"${close ? `, did you mean "${close}"?` : ''}`,
    `There are ${known.slice(0, 5).join(', ')}${known.length > 5 ? ` and ${known.length - 5} more` : ''}.`,
  );
}

function refused(message: string, hint: string): PointsmanError {
  return new PointsmanError('InvalidInput', message, hint);
}
