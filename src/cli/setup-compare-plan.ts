import { existsSync, readFileSync } from 'node:fs';
import type { ComparedRun } from '../analysis/comparison';
import { type ExperienceMode, type RepoSetupResult, SwitchyardError } from '../contract';
import type { Written } from './rollout-input';
import { absoluteSource, type SetupFlags, setupInput } from './setup-input';

/** One run of a comparison: its id says all that it is. */
export interface Job {
  readonly id: string;
  readonly source: string;
  readonly mode: ExperienceMode;
  readonly pass: number;
  readonly input: Written;
}

export interface Plan {
  readonly name: string;
  readonly sources: readonly Written[];
  readonly modes: readonly ExperienceMode[];
  readonly repeat: number;
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
    if (seen.has(source)) throw refused(`--sources: ${String(source)} is there twice`, 'Use --repeat for more passes.');
    seen.add(source);
  }
  if (inputs.length === 0) throw refused('--sources: there is none', 'Give sources, or a file with one a line.');
  return inputs;
}

/** Every run, source by source, so that the runs of one pair are close in time. Throws `InvalidInput`. */
export function planned({ name, sources, modes, repeat, basis, flags }: Plan): Job[] {
  const passes = Array.from({ length: repeat }, (_, at) => at + 1);
  return passes.flatMap((pass) =>
    sources.flatMap((own) =>
      modes.map((mode) => {
        const experience = {
          ...(basis.experience as object | undefined),
          mode,
          // What is learned here goes nowhere else, and begins with the units of the package.
          ...(mode === 'learn' ? { memory: `compare-${name}` } : {}),
        };
        const input = setupInput({ ...basis, ...own, experience }, flags);
        if (input.judge === false) throw refused('judge: a comparison is about verdicts', 'Leave it on.');
        const source = String(input.source);
        return { id: `compare/${name}/${mode}/${source}/${pass}`, source, mode, pass, input };
      }),
    ),
  );
}

/**
 * Does all jobs, at most so many at once and in order; those that learn one after another, so that each profits from all
 * before it. The first error ends it after what runs.
 */
export async function inTurn(jobs: readonly Job[], parallel: number, work: (job: Job) => Promise<void>): Promise<void> {
  const waiting = [...jobs];
  const running = new Map<Job, Promise<void>>();
  while (waiting.length > 0 || running.size > 0) {
    const learning = [...running.keys()].some(({ mode }) => mode === 'learn');
    const at = running.size < parallel ? waiting.findIndex(({ mode }) => mode !== 'learn' || !learning) : -1;
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
    ...{ source, mode, pass, id },
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
    ...(trouble === undefined ? {} : { trouble }),
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

function refused(message: string, hint: string): SwitchyardError {
  return new SwitchyardError('InvalidInput', message, hint);
}
