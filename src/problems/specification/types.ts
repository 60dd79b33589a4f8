import type { ObservedCall, Specification } from '../../contract';
import { cleaned } from '../python';
import { appendTo } from './append';
import { type DescribedFunction, observedTypes } from './described';
import { chooseExamples } from './examples';

/**
 * The specification without a model: the docstring as it is, with the types of arguments and results, the exceptions and up
 * to three examples that were seen while the harness ran. Nothing is guessed; without calls it is the docstring, dedented.
 */
export function typesSpecification(described: DescribedFunction, calls: readonly ObservedCall[]): Specification {
  const types = observedTypes(described, calls);
  const examples = chooseExamples(described, calls);
  return {
    original: described.docstring,
    refined: appendTo(cleaned(described.docstring), described, { types, examples }),
    by: 'types',
    argumentTypes: { ...types.arguments },
    returnTypes: [...types.returned],
  };
}
