import { readFile } from 'node:fs/promises';
import {
  FunctionInstance,
  jsonAt,
  nearest,
  numberedLines,
  PointsmanError,
  type ProblemEntry,
  ProblemSet,
  parseInput,
  type Ref,
} from '../../contract';
import type { Roots } from '../../roots';
import type { BlobStore } from '../../store/blobs';
import { ONE_A_LINE } from '../../store/instances';

export interface OpenedSet {
  readonly problemSet: Ref;
  readonly problems: number;
}

/** Reads `problems.jsonl` and keeps each instance by itself, so that work on one problem reads one. */
export class ProblemSets {
  constructor(
    private readonly blobs: BlobStore,
    private readonly roots: Roots,
  ) {}

  /**
   * From a path of this host or a blob; `only` names the ids that are wanted. Throws `InvalidInput` that names the line, or the
   * id that is not there.
   */
  async open(source: string | Ref, only: readonly string[]): Promise<OpenedSet> {
    const name = typeof source === 'string' ? source : `blob ${source.sha256.slice(0, 12)}`;
    const instances = instancesOf(await this.text(source), name);
    const known = [...instances.keys()];
    for (const id of only) if (!instances.has(id)) throw unknownProblem(id, known, name);
    const wanted = only.length === 0 ? known : [...new Set(only)];
    const entries = await Promise.all(wanted.sort().map((id) => this.keep(instances.get(id)!)));
    return { problemSet: await this.blobs.put(JSON.stringify(entries)), problems: entries.length };
  }

  async entries(set: Ref): Promise<ProblemSet> {
    return ProblemSet.parse(JSON.parse((await this.blobs.get(set.sha256)).toString('utf8')));
  }

  /** The problem at this place of the set. It was checked when the set was opened. */
  async problem(set: Ref, at: number): Promise<FunctionInstance> {
    const { instance } = (await this.entries(set))[at]!;
    return JSON.parse((await this.blobs.get(instance.sha256)).toString('utf8')) as FunctionInstance;
  }

  private async keep(instance: FunctionInstance): Promise<ProblemEntry> {
    const { id, dependencies, outOfFile, size, harness } = instance;
    const kept = await this.blobs.put(JSON.stringify(instance));
    return { id, instance: kept, dependencies, outOfFile, tokens: size.tokens, cases: harness.cases.length };
  }

  private async text(source: string | Ref): Promise<string> {
    if (typeof source !== 'string') return (await this.blobs.get(source.sha256)).toString('utf8');
    return readFile(await this.roots.here(source, 'problems'), 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new PointsmanError(
        'InvalidInput',
        `problems: ${source} cannot be read on the worker's host (${error.code ?? error.message})`,
        'Give the path of a problems.jsonl as the worker finds it, or its blob.',
      );
    });
  }
}

function instancesOf(text: string, name: string): Map<string, FunctionInstance> {
  const instances = new Map<string, FunctionInstance>();
  for (const each of numberedLines(text, name)) {
    const { where } = each;
    const instance = parseInput<FunctionInstance>(FunctionInstance, jsonAt(each, ONE_A_LINE), where);
    if (instances.has(instance.id)) throw refused(`${where}: there is already a problem ${instance.id}`, 'Remove one.');
    instances.set(instance.id, instance);
  }
  if (instances.size > 0) return instances;
  throw refused(`${name}: there is no problem in it`, ONE_A_LINE);
}

function unknownProblem(id: string, known: readonly string[], name: string): PointsmanError {
  const close = nearest(id, known);
  return refused(
    `only: no problem "${id}" in ${name}${close ? `, did you mean "${close}"?` : ''}`,
    `It holds ${known.slice(0, 5).join(', ')}${known.length > 5 ? ` and ${known.length - 5} more` : ''}.`,
  );
}

function refused(message: string, hint: string): PointsmanError {
  return new PointsmanError('InvalidInput', message, hint);
}
