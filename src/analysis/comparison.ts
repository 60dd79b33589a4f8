import type { Estimate, ExperienceMode, SetupStatus, SetupVerdictResult, TestCounts } from '../contract';
import { hashKey, uniformUnit } from '../rollout/random';
import { meanDifference } from './bootstrap';
import { countPairs, type Interval, mcnemarExact, type PairedCounts, pairedDifference } from './paired';

/**
 * A mode of memory; `crossed`: frozen, with nothing but what the other half of the sources taught; `lesson`: a run that
 * teaches its half, and is compared with none.
 */
export type ComparedMode = ExperienceMode | 'crossed' | 'lesson';

/** One source set up once under one mode of memory. */
export interface ComparedRun {
  readonly source: string;
  readonly mode: ComparedMode;
  /** Which pass over the sources, from 1. */
  readonly pass: number;
  readonly id: string;
  /** How the loop ended. Null where the workflow itself failed: there is no outcome then, neither good nor bad. */
  readonly status: SetupStatus | null;
  readonly verdict: SetupVerdictResult['verdict'] | null;
  readonly verifier: boolean | null;
  readonly selfClaim: boolean;
  readonly tests: TestCounts;
  readonly steps: number;
  readonly seconds: number;
  readonly rollbacks: number;
  readonly unitsTried: number;
  /** Units whose trial was a success that stayed. */
  readonly unitsHelped: number;
  readonly usd: number;
  readonly tokens: number;
  readonly trouble?: string;
}

export interface ModeSummary {
  readonly mode: ComparedMode;
  /** Runs with an outcome, and those without. */
  readonly runs: number;
  readonly failed: number;
  readonly claimed: number;
  readonly verified: number;
  readonly notGuilty: number;
  /** Rate of self-claims minus rate of `not_guilty`, over sources. */
  readonly gap: Interval & { readonly difference: number };
  readonly meanSteps: number;
  readonly meanSeconds: number;
  readonly unitsTried: number;
  readonly unitsHelped: number;
  readonly usd: number;
}

/** What a set-up takes. */
type Effort = 'steps' | 'seconds' | 'tokens';

/** A mode against the one without memory, source by source. */
export interface Lift extends Interval {
  readonly mode: ComparedMode;
  readonly against: ComparedMode;
  readonly pairs: number;
  /** Sources without a pass that has an outcome under both. */
  readonly leftOut: number;
  /** Passes over the other sources without an outcome under one of the two; they are left out together with their pair. */
  readonly passesLeftOut: number;
  readonly counts: PairedCounts;
  /** What a run under the mode takes more than one without, averaged over sources. */
  readonly effort: Readonly<Record<Effort, Estimate>>;
  /** Rate of `not_guilty` under the mode, minus that without. */
  readonly difference: number;
  /** Two-sided exact McNemar test. */
  readonly p: number;
  /** `lift` or `loss` only where the 95 % interval leaves 0 out and p < 0.05. */
  readonly shown: 'lift' | 'loss' | 'none';
}

export interface Comparison {
  readonly modes: readonly ModeSummary[];
  readonly lifts: readonly Lift[];
}

/**
 * What runs of the same sources under several modes amount to. The unit of every interval is the source: passes over one
 * source depend on each other, so they are folded into one answer by majority first.
 */
export function compared(runs: readonly ComparedRun[], modes: readonly ComparedMode[]): Comparison {
  const against = 'off';
  const others = modes.includes(against) ? modes.filter((mode) => mode !== against) : [];
  return {
    modes: modes.map((mode) => summaryOf(runs, mode)),
    lifts: others.map((mode) => liftOf(runs, mode, against)),
  };
}

function passed({ verdict }: ComparedRun): boolean {
  return verdict === 'not_guilty';
}

function summaryOf(all: readonly ComparedRun[], mode: ComparedMode): ModeSummary {
  const every = all.filter((run) => run.mode === mode);
  const runs = every.filter(hasOutcome);
  const sum = (of: (run: ComparedRun) => number) => runs.reduce((total, run) => total + of(run), 0);
  const mean = (of: (run: ComparedRun) => number) => (runs.length === 0 ? 0 : sum(of) / runs.length);
  const [claims, good] = [folded(runs, ({ selfClaim }) => selfClaim), folded(runs, passed)];
  const pairs = [...good].map(([source, isGood]) => [isGood, claims.get(source) ?? false] as const);
  return {
    mode,
    runs: runs.length,
    failed: every.length - runs.length,
    claimed: runs.filter(({ selfClaim }) => selfClaim).length,
    verified: runs.filter(({ verifier }) => verifier === true).length,
    notGuilty: runs.filter(passed).length,
    gap: pairedDifference(countPairs(pairs)),
    meanSteps: mean(({ steps }) => steps),
    meanSeconds: mean(({ seconds }) => seconds),
    unitsTried: sum(({ unitsTried }) => unitsTried),
    unitsHelped: sum(({ unitsHelped }) => unitsHelped),
    usd: sum(({ usd }) => usd),
  };
}

function liftOf(all: readonly ComparedRun[], mode: ComparedMode, against: ComparedMode): Lift {
  const both = all.filter((run) => run.mode === mode || run.mode === against);
  const paired = pairedPasses(both, [mode, against]);
  const of = (which: ComparedMode) =>
    folded(
      paired.filter((run) => run.mode === which),
      passed,
    );
  const [without, under] = [of(against), of(mode)];
  const sources = new Set(both.map(({ source }) => source));
  const pairs = [...without].map(([source, first]) => [first, under.get(source)!] as const);
  const counts = countPairs(pairs);
  const [interval, p] = [pairedDifference(counts), mcnemarExact(counts)];
  const clear = p < 0.05 && (interval.low > 0 || interval.high < 0);
  const shown = clear ? (interval.low > 0 ? 'lift' : 'loss') : 'none';
  const leftOut = sources.size - pairs.length;
  const counted = new Set(both.filter(({ source }) => without.has(source)).map(passOf)).size;
  const passesLeftOut = counted - new Set(paired.map(passOf)).size;
  const effort = effortOf(paired, mode, against);
  return { mode, against, pairs: pairs.length, leftOut, passesLeftOut, counts, effort, ...interval, p, shown };
}

/** The same runs always have the same interval. */
function effortOf(paired: readonly ComparedRun[], mode: ComparedMode, against: ComparedMode): Lift['effort'] {
  const differenceIn = (of: Effort): Estimate => {
    const mean = (source: string, which: ComparedMode) => {
      const values = paired.filter((run) => run.source === source && run.mode === which).map((run) => run[of]);
      return values.reduce((sum, each) => sum + each, 0) / values.length;
    };
    const sources = [...new Set(paired.map(({ source }) => source))];
    const pairs = sources.map((source) => [mean(source, against), mean(source, mode)] as const);
    const stream = hashKey(`${mode} ${of}`);
    return meanDifference(pairs, () => uniformUnit(stream));
  };
  return { steps: differenceIn('steps'), seconds: differenceIn('seconds'), tokens: differenceIn('tokens') };
}

/**
 * Runs of the passes that have an outcome under every one of these modes. A pass that failed under one says nothing about
 * the difference: folded in, the votes of one side would be fewer, and a tie among them a failure.
 */
function pairedPasses(runs: readonly ComparedRun[], modes: readonly ComparedMode[]): ComparedRun[] {
  const ended = runs.filter(hasOutcome);
  const under = modes.map((mode) => new Set(ended.filter((run) => run.mode === mode).map(passOf)));
  return ended.filter((run) => under.every((passes) => passes.has(passOf(run))));
}

function passOf({ source, pass }: ComparedRun): string {
  return `${pass} ${source}`;
}

/** One answer a source: what more than half of its passes say. */
function folded(runs: readonly ComparedRun[], says: (run: ComparedRun) => boolean): Map<string, boolean> {
  const votes = new Map<string, { yes: number; all: number }>();
  for (const run of runs) {
    const { yes, all } = votes.get(run.source) ?? { yes: 0, all: 0 };
    votes.set(run.source, { yes: yes + (says(run) ? 1 : 0), all: all + 1 });
  }
  return new Map([...votes].map(([source, { yes, all }]) => [source, yes * 2 > all]));
}

function hasOutcome({ status }: ComparedRun): boolean {
  return status !== null;
}
