import type { TestOutcome } from '../../contract';
import type { Outcomes } from '../../problems/outcomes';

export type ReporterName =
  | 'pytest'
  | 'junit'
  | 'unittest'
  | 'go'
  | 'cargo'
  | 'jest'
  | 'vitest'
  | 'mocha'
  | 'node'
  | 'ctest'
  | 'tap'
  | 'reward';

/** What a run left behind. */
export interface Report {
  /** The report that the runner wrote; null where there is none. */
  readonly file: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Paths in the work directory, for reports that name a file by another spelling of its path. */
  readonly paths?: readonly string[];
}

/** How a runner is made to write its own report. */
export interface Asked {
  /** Added to what the environment has for them, a blank between; they reach the runner through whatever starts it. */
  readonly variables: Readonly<Record<string, string>>;
  /** Put between the words of a command that starts the runner itself. */
  readonly words: readonly string[];
  /** Before which word they go. */
  readonly at: number;
  /** Words for a runner of Node.js that no variable reaches behind scripts: they are given to it in its own process. */
  readonly late?: LateWords;
}

/** In the words `PROCESS` stands for the number of the process: a script may start a runner several times. */
export interface LateWords {
  readonly program: 'jest' | 'vitest' | 'mocha';
  readonly words: readonly string[];
}

/** One test runner: how its command is recognised, how it is asked for its own report, and how that is read. */
export interface Reporter {
  readonly name: ReporterName;
  /** Whether the words of one simple command start this runner, wrappers like `env` and `coverage run` taken off. */
  starts(words: readonly string[]): boolean;
  /** `file` is a fresh absolute path in the container. */
  asks(file: string, words: readonly string[]): Asked;
  /**
   * Outcomes by test id, as SWE-bench writes ids. What cannot be read has no outcome. `wanted` are ids of the problem,
   * because some reports spell them so that they cannot be read back.
   */
  read(report: Report, wanted: readonly string[]): Outcomes;
  /** What the report says of each failure, by test id; undefined where it does not tell one from another. */
  failures?(report: Report, wanted: readonly string[]): ReadonlyMap<string, string> | undefined;
  /** The command for these files only; undefined where that cannot be said. */
  only?(words: readonly string[], files: readonly string[]): readonly string[] | undefined;
  /** The command for one test alone in its process; undefined where that cannot be said. */
  alone?(words: readonly string[], test: string): readonly string[] | undefined;
}

/** Nothing is asked for: the runner prints what is read. */
export const ASKS_NOTHING: Asked = { variables: {}, words: [], at: 0 };

/** From what says least for a test to what says most against it. */
const WORST: readonly TestOutcome[] = ['passed', 'xpassed', 'xfailed', 'skipped', 'failed', 'error'];

/** What is said of failures, while it is read: all that is said of one test together. */
export class CollectedFailures {
  readonly texts = new Map<string, string>();

  add(id: string, text: string): void {
    this.texts.set(id, `${this.texts.get(id) ?? ''}${text}\n`);
  }
}

/** Outcomes while they are read. What is said of a test twice counts as the worse of both. */
export class Collected {
  readonly #outcomes = new Map<string, TestOutcome>();

  add(id: string, outcome: TestOutcome): void {
    const known = this.#outcomes.get(id);
    if (known === undefined || WORST.indexOf(outcome) > WORST.indexOf(known)) this.#outcomes.set(id, outcome);
  }

  outcomes(): Outcomes {
    return Object.fromEntries(this.#outcomes);
  }
}

/** The ways in which the wanted ids spell a test, of those that are known for its runner; the first where none is wanted. */
export function spelledAs(spellings: readonly string[], wanted: ReadonlySet<string>): readonly string[] {
  const found = spellings.filter((spelling) => wanted.has(spelling));
  return found.length > 0 ? [...new Set(found)] : spellings.slice(0, 1);
}

/** A path as the work directory has it, for runners that name files by where they found them. */
export function pathIn(paths: readonly string[], absolute: string): string {
  return paths.find((path) => absolute === path || absolute.endsWith(`/${path}`)) ?? absolute;
}

/** Pieces of text that are JSON each on a line of its own; other lines are passed over. */
export function jsonLines(text: string): unknown[] {
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? (jsonOf(line) ?? []) : []));
}

/** Undefined for what is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Outcomes of several runs of one command: a test that two of them ran must pass in both. */
export function mergedOutcomes(runs: readonly Outcomes[]): Outcomes {
  if (runs.length === 1) return runs[0]!;
  const all = new Collected();
  for (const run of runs) for (const [id, outcome] of Object.entries(run)) all.add(id, outcome);
  return all.outcomes();
}

/** Name of a program without its folder and version: `/usr/bin/python3.11` is `python`. */
export function programOf(word: string | undefined): string {
  const name = (word ?? '').split('/').at(-1)!;
  return name.replace(/\.exe$/, '').replace(/^(python|pypy)[\d.]*[a-z]?$/, 'python');
}

/**
 * Where the arguments of a Python module begin when `words` run it: by `python -m NAME`, behind options of the
 * interpreter (`-I`, `-W error`), or as a program of that name. Undefined when they run something else.
 */
export function argumentsOf(words: readonly string[], modules: readonly string[]): number | undefined {
  const program = programOf(words[0]);
  if (program !== 'python') return modules.includes(program) ? 1 : undefined;
  for (let at = 1; at < words.length; at++) {
    const word = words[at]!;
    const glued = /^-[bBdEhiIOPqsSuvVx]*m(.*)$/.exec(word);
    if (glued) {
      const module = glued[1] || words[at + 1];
      return modules.includes(module ?? '') ? at + (glued[1] ? 1 : 2) : undefined;
    }
    if (/^-[WX]$/.test(word)) at++;
    else if (!/^-[A-Za-z]/.test(word) || /^-[bBdEiIOPqsSuvx]*c/.test(word)) {
      return modules.includes(programOf(word)) ? at + 1 : undefined;
    }
  }
  return undefined;
}
