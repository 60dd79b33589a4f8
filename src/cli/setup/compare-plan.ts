import { existsSync, readFileSync } from 'node:fs';
import type { ComparedMode, ComparedRun } from '../../analysis/comparison';
import { type ExperienceMode, PointsmanError, type RepoSetupResult } from '../../contract';
import type { Written } from '../input-file';
import { absoluteSource, type SetupFlags, setupInput } from './input';

/** What a person may ask for; `crossed` brings its lessons along. */
export const CHOSEN_MODES = ['off', 'frozen', 'learn', 'crossed'] as const satisfies readonly ComparedMode[];
export type ChosenMode = (typeof CHOSEN_MODES)[number];

/** One run of a comparison: its id says all that it is. */
export interface Job {
  readonly id: string;
  readonly source: string;
  readonly mode: ComparedMode;
  readonly pass: number;
  readonly input: Written;
  /** The memory that it writes: its teachers go one after another, so that each profits from those before it. */
  readonly teaches?: string;
  /** The memory that has to be whole before it begins. */
  readonly learnt?: string;
}

export interface Plan {
  readonly name: string;
  readonly sources: readonly Written[];
  readonly modes: readonly ChosenMode[];
  readonly passes: number;
  /** What the inputs of all runs have in common. */
  readonly basis: Written;
  readonly flags: SetupFlags;
}

/**
 * Sources as they were given: a source, or a file of them, one a line. A line may be an input of its own as JSON, for
 * services or limits that only this one needs; lines that begin with `#` are left out.
 */
export function readSources(given: readonly string[]): Written[] {
  const lines = given.flatMap((word) =>
    existsSync(word)
      ? readFileSync(word, 'utf8')
          .split('\n')
          .map((line) => line.trim())
      : [word],
  );
  const inputs = lines.filter((line) => line !== '' && !line.startsWith('#')).map(inputOfLine);
  const seen = new Set<unknown>();
  for (const { source } of inputs) {
    if (seen.has(source)) throw refused(`--sources: ${String(source)} is there twice`, 'Use --passes for more passes.');
    seen.add(source);
  }
  if (inputs.length === 0) throw refused('--sources: there is none', 'Give sources, or a file with one a line.');
  return inputs;
}

/**
 * Every run, source by source, so that the runs of one pair are close in time. For `crossed`, the sources are dealt out to
 * two halves in turn; each half teaches a memory of its own that begins with nothing, and the other half is set up with
 * that alone. Throws `InvalidInput`.
 */
export function planned({ name, sources, modes, passes, basis, flags }: Plan): Job[] {
  const crossed = modes.includes('crossed');
  if (crossed && sources.length < 2)
    throw refused('crossed: one source cannot be split into halves', 'Give at least two.');
  const job = (own: Written, pass: number, label: ComparedMode, experience: Memory): Job => {
    const input = setupInput(
      {
        ...basis,
        ...own,
        experience: { ...(basis.experience as object), ...(own.experience as object), ...experience },
      },
      flags,
    );
    if (input.judge === false) throw refused('judge: a comparison needs verdicts', 'Leave it on.');
    const source = String(input.source);
    return { id: `compare/${name}/${label}/${source}/${pass}`, source, mode: label, pass, input };
  };
  const numbers = Array.from({ length: passes }, (_, at) => at + 1);
  return numbers.flatMap((pass) => {
    const half = (at: number) => `compare-${name}-${'ab'[at % 2]}${pass}`;
    const runs = sources.flatMap((own, at) =>
      modes.flatMap((mode): Job[] => {
        switch (mode) {
          case 'learn': {
            // What is learned here goes nowhere else, and begins with the units of the package.
            const memory = `compare-${name}`;
            return [{ ...job(own, pass, mode, { mode, memory }), teaches: memory }];
          }
          case 'crossed': {
            const memory = half(at);
            return [{ ...job(own, pass, 'lesson', { mode: 'learn', memory, shipped: false }), teaches: memory }];
          }
          case 'off':
          case 'frozen':
            return [job(own, pass, mode, { mode })];
          default:
            return mode satisfies never;
        }
      }),
    );
    const taught = sources.map((own, at) => {
      const memory = half(at + 1);
      return { ...job(own, pass, 'crossed', { mode: 'frozen', memory, shipped: false }), learnt: memory };
    });
    return [...runs, ...(crossed ? taught : [])];
  });
}

interface Memory {
  readonly mode: ExperienceMode;
  readonly memory?: string;
  readonly shipped?: boolean;
}

/**
 * Does all jobs, at most so many at once and in order; those that teach one memory go one after another, and those that
 * need it whole after all of them. The first error ends it after what runs.
 */
export async function inTurn(
  jobs: readonly Job[],
  concurrency: number,
  work: (job: Job) => Promise<void>,
): Promise<void> {
  const waiting = [...jobs];
  const running = new Map<Job, Promise<void>>();
  const free = ({ teaches, learnt }: Job) => {
    const taughtNow = [...running.keys()].map((each) => each.teaches);
    if (teaches !== undefined && taughtNow.includes(teaches)) return false;
    return learnt === undefined || ![...taughtNow, ...waiting.map((each) => each.teaches)].includes(learnt);
  };
  while (waiting.length > 0 || running.size > 0) {
    const at = running.size < concurrency ? waiting.findIndex(free) : -1;
    const [job] = at < 0 ? [] : waiting.splice(at, 1);
    if (job)
      running.set(
        job,
        work(job).finally(() => running.delete(job)),
      );
    else await Promise.race(running.values());
  }
}

/** A row of the table; without a result, that of a workflow that failed. */
export function comparedRun(job: Job, result: RepoSetupResult | undefined, trouble?: string): ComparedRun {
  const { id, source, mode, pass } = job;
  const trials = result?.units ?? [];
  return {
    source,
    mode,
    pass,
    id,
    status: result?.status ?? null,
    verdict: result?.verdict?.verdict ?? null,
    verifier: result?.verifier?.success ?? null,
    selfClaim: result?.selfClaim ?? false,
    tests: result?.tests ?? { collected: 0, passed: 0, failed: 0, skipped: 0, errors: 0 },
    steps: result?.steps ?? 0,
    seconds: result?.seconds ?? 0,
    rollbacks: result?.rollbacks ?? 0,
    unitsTried: trials.length,
    unitsHelped: trials.filter(({ outcome, kept }) => outcome === 'success' && kept).length,
    usd: result?.cost.usd ?? 0,
    tokens: result?.cost.tokens ?? 0,
    trouble,
  };
}

/** The runs as a file for spreadsheets (RFC 4180). */
export function asCsv(runs: readonly ComparedRun[]): string {
  const rows = runs.map(({ tests, trouble, ...run }) => ({ ...run, ...tests, trouble: trouble ?? '' }));
  const names = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[];
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  return lines.map((cells) => `${cells.map((cell) => field(String(cell))).join(',')}\r\n`).join('');
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function inputOfLine(line: string): Written {
  if (!line.startsWith('{')) return { source: absoluteSource(line) };
  try {
    return JSON.parse(line) as Written;
  } catch (error) {
    throw refused(`--sources: a line is not JSON: ${(error as Error).message}`, `It begins with ${line.slice(0, 40)}`);
  }
}

function refused(message: string, hint: string): PointsmanError {
  return new PointsmanError('InvalidInput', message, hint);
}
