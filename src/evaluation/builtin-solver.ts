import type { Python } from '@pointsman/python';
import type { FunctionInstance } from '../contract';
import { stubOf } from '../problems/candidate';
import { mutantsOf } from '../problems/mutation';

/** Mutants of one function that samples are taken from. */
const MUTANTS = 200;

/**
 * What a solver without a model answers: `oracle` the reference, `stub` a body that raises, `mutant` the reference with one
 * mistake, another one for each sample as long as there are more. Undefined where there is nothing to change.
 */
export function builtinAnswer(
  python: Python,
  solver: string,
  { reference, subject }: Pick<FunctionInstance, 'reference' | 'subject'>,
  { sample, seed }: { readonly sample: number; readonly seed: number },
): string | undefined {
  const target = { name: subject.target.name.split('.').at(-1)!, lines: [1, 1] as [number, number] };
  const module = python.parse('reference.py', reference);
  switch (solver) {
    case 'builtin:oracle':
      return reference;
    case 'builtin:stub':
      return stubOf(module, target);
    default: {
      const mutants = mutantsOf(python, module, target, { max: MUTANTS, seed });
      // Neighbours among mutants are of the same line: steps that share no factor with their number visit all of them.
      return mutants[(sample * strideOf(mutants.length)) % Math.max(1, mutants.length)]?.source;
    }
  }
}

/** A step near the golden section that shares no factor with `n`, so that it comes by every place before it repeats one. */
function strideOf(n: number): number {
  const shared = (a: number, b: number): number => (b === 0 ? a : shared(b, a % b));
  let stride = Math.max(1, Math.round(n * 0.618));
  while (n > 1 && shared(stride, n) !== 1) stride += 1;
  return stride;
}
