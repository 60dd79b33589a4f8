import { creates, replaces } from '../../security/shop';

/** Files by path. */
export type Tree = Readonly<Record<string, string>>;

/** A small repository with a bug, in a language's own habits, and patches whose verdict is known. */
export interface LanguageProblem {
  readonly id: string;
  readonly statement: string;
  /** Files of the repository with the bug. */
  readonly before: Tree;
  readonly setup: readonly string[];
  readonly test: string;
  /** Of what follows: files that are new or otherwise. */
  readonly tests: Tree;
  readonly gold: Tree;
  /** The later version's, where the problem is made of two versions and not of two patches. */
  readonly after?: Tree;
  /** Mends one of the failing tests and not all. */
  readonly half: Tree;
  /** As right as the reference, written otherwise. */
  readonly other: Tree;
  /** What makes tests pass without mending anything, by name. */
  readonly bribes: Readonly<Record<string, Tree>>;
  /** FAIL_TO_PASS, in order. */
  readonly failToPass: readonly string[];
}

/** A git patch from the repository to it with these files. */
export function patchTo({ before }: Pick<LanguageProblem, 'before'>, changed: Tree): string {
  return Object.entries(changed)
    .map(([path, text]) => (path in before ? replaces(path, text, before) : creates(path, text)))
    .join('');
}

/** A text with a part of it exchanged, which must be there. */
export function exchanged(text: string, was: string, now: string): string {
  if (!text.includes(was)) throw new Error(`no such text: ${was}`);
  return text.replace(was, () => now);
}
