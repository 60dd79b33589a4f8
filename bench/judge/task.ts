import { createHash } from 'node:crypto';
import { Problem } from '../../src/contract';
import { BASE_IMAGE } from '../../src/machine/image';

/** A problem without lists, and solutions that differ from its reference. */
export interface Task {
  readonly name: string;
  readonly gold: string;
  /** May fetch what it needs. */
  open(): Promise<OpenTask>;
}

export interface OpenTask {
  readonly problem: Problem;
  readonly alternatives: readonly {
    readonly name: string;
    open(): Promise<Alternative>;
  }[];
}

export interface Alternative {
  readonly patch: string;
  /** Lines that are in it or in the reference only. */
  readonly lines: number;
}

interface Given {
  readonly id: string;
  readonly source: string;
  readonly setup: readonly string[];
  /** Files as they are before the patch. */
  readonly before: readonly WrittenFile[];
  /** The hidden tests. */
  readonly tests: readonly WrittenFile[];
  readonly command: string;
  readonly goldPatch: string;
}

interface WrittenFile {
  readonly path: string;
  readonly content: string;
}

export function problemWith({ id, source, setup, before, tests, command, goldPatch }: Given): Problem {
  const key = createHash('sha256')
    .update(JSON.stringify([source, setup]))
    .digest('hex')
    .slice(0, 16);
  return Problem.parse({
    id,
    image: `pointsman/bench-alternatives:${key}`,
    workdir: '/testbed',
    statement: 'Mend what raises NotImplementedError.',
    tests: { command, failToPass: [], passToPass: [], files: tests, timeoutSeconds: 900 },
    goldPatch,
    environment: { source, base: BASE_IMAGE, setup },
    preparation: { files: before },
  });
}
