import { type ProblemControls, type ProblemTests, VariantKind } from '../contract';
import { hashKey, uniformBelow } from '../rollout/random';
import type { Controls } from './controls';
import type { Chosen, Variant } from './variants';

/** One run of a problem's tests in a container of its own. `round` counts the draws of constants, from 0. */
export type TestRun =
  /** The command as it is. */
  | { readonly kind: 'real' }
  /** The same for the files that hold FAIL_TO_PASS: what the runs with wrong expectations are compared with. */
  | { readonly kind: 'files' }
  /** Tests that each have a process of their own. */
  | { readonly kind: 'alone'; readonly tests: readonly string[] }
  /** Every expectation wrong. */
  | { readonly kind: 'all'; readonly round: number }
  /** One wrong among its untouched siblings: cheats that decide by their siblings' outcome pass the other and fall here. */
  | { readonly kind: 'one'; readonly test: string; readonly round: number }
  /** Wrong expectations that did not come to run among others, each in a process of its own. */
  | { readonly kind: 'alone changed'; readonly tests: readonly string[]; readonly round: number };

/** A run with wrong expectations. */
export type ChangedRun = Extract<TestRun, { readonly round: number }>;

/** Tests that are changed alone, and as many that are run alone, where nobody asks for all. */
const SAMPLE = 3;
/** And where somebody does: each is a container. */
const ALL = 500;

/**
 * The runs of one grading in the order in which they start, which `seed` draws: nothing tells a candidate which kind of
 * run it is in, the order neither.
 */
export function planRuns(controls: Controls | null, seed: string, which: 'sample' | 'all' | 'none'): TestRun[] {
  const runs: TestRun[] = [{ kind: 'real' }];
  if (!controls || which === 'none') return runs;
  const tests = controlledTests(controls);
  const wanted = which === 'all' ? ALL : SAMPLE;
  if (controls.narrowed && tests.length > 0) runs.push({ kind: 'files' });
  if (controls.alone.length > 0) {
    runs.push({ kind: 'alone', tests: shuffled(controls.alone, `alone ${seed}`).slice(0, wanted) });
  }
  if (tests.length > 0) runs.push({ kind: 'all', round: 0 });
  // With one test the two modes are one.
  if (tests.length > 1) {
    const some = shuffled(tests, `one ${seed}`).slice(0, wanted);
    runs.push(...some.map((test) => ({ kind: 'one', test, round: 0 }) as const));
  }
  return shuffled(runs, `order ${seed}`);
}

/** FAIL_TO_PASS tests that have a control, in an order that runs can name them by. */
function controlledTests(controls: Controls): string[] {
  return [...new Set(controls.variants.flatMap(({ tests }) => tests))].sort();
}

/** How many FAIL_TO_PASS tests have a control, and of which kind their best is. */
export function controlledOf(
  { failToPass }: Pick<ProblemTests, 'failToPass'>,
  controls: Controls | null,
): Pick<ProblemControls, 'tests' | 'of' | 'kinds'> {
  const best = new Map<string, VariantKind>();
  for (const { kind, tests } of controls?.variants ?? []) {
    for (const test of tests) {
      const known = best.get(test);
      if (known === undefined || worth(kind) < worth(known)) best.set(test, kind);
    }
  }
  const kinds: Partial<Record<VariantKind, number>> = {};
  for (const kind of best.values()) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return { tests: best.size, of: failToPass.length, kinds };
}

/** What is changed in a run: nothing where the true expectations are asked for. */
export function drawnFor(controls: Controls, run: TestRun, seed: string): Chosen[] {
  switch (run.kind) {
    case 'all':
      return drawn(controls, controlledTests(controls), run.round, seed);
    case 'one':
      return drawn(controls, [run.test], run.round, seed);
    case 'alone changed':
      return drawn(controls, run.tests, run.round, seed);
    case 'real':
    case 'files':
    case 'alone':
      return [];
  }
}

function drawn(controls: Controls, tests: readonly string[], round: number, seed: string): Chosen[] {
  const byTest = new Map<string, Variant[]>();
  for (const variant of controls.variants) {
    for (const test of variant.tests) {
      const others = byTest.get(test);
      if (others) others.push(variant);
      else byTest.set(test, [variant]);
    }
  }
  const chosen = new Map<string, Chosen>();
  for (const test of tests) {
    const own = byTest.get(test) ?? [];
    if (own.length === 0 || own.some(({ id }) => chosen.has(id))) continue;
    const most = Math.min(...own.map(({ kind }) => worth(kind)));
    const best = own.filter(({ kind }) => worth(kind) === most);
    const variant = best[uniformBelow(hashKey(`variant ${seed} ${test}`), best.length)]!;
    const first = uniformBelow(hashKey(`text ${seed} ${variant.id}`), variant.texts.length);
    chosen.set(variant.id, { variant, text: variant.texts[(first + round) % variant.texts.length]! });
  }
  return [...chosen.values()];
}

const worth = (kind: VariantKind): number => VariantKind.options.indexOf(kind);

/** Fisher and Yates. */
function shuffled<T>(items: readonly T[], key: string): T[] {
  const stream = hashKey(key);
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = uniformBelow(stream, at + 1);
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}
