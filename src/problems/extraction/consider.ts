import type { ConsideredFunction, FunctionFilters } from '../../contract';
import { isOverload } from '../candidate';
import { type FunctionSyntax, functionsOf, type PythonIndex, Resolver } from '../python';
import { targetOf } from '../slices';
import { rulesOf } from './rules';

export interface Extraction {
  readonly taken: readonly FunctionSyntax[];
  /** Every function with the first rule that left it out, in the order of the files. */
  readonly considered: readonly ConsideredFunction[];
  /** How many each rule left out, in the order of the rules; the last says what was taken. */
  readonly funnel: readonly { readonly rule: string; readonly left: number; readonly rejected: number }[];
}

/** Tries the rules on every function of a repository and keeps the reason where one is left out. */
export function considerFunctions(index: PythonIndex, filters: FunctionFilters): Extraction {
  const functions = functionsOf(index);
  const count = new Map<string, number>();
  const place = ({ module, qualname }: FunctionSyntax) => `${module.path}:${qualname}`;
  for (const each of functions) {
    if (!isOverload(each.statement)) count.set(place(each), (count.get(place(each)) ?? 0) + 1);
  }
  const definitions = (each: FunctionSyntax) => count.get(place(each)) ?? 1;
  const rules = rulesOf(filters, { resolver: new Resolver(index), definitions });
  const taken: FunctionSyntax[] = [];
  const considered = functions.map((found): ConsideredFunction => {
    const target = targetOf(found);
    for (const { name, rule } of rules) {
      const why = rule(found);
      if (why !== null) return { target, rejectedBy: name, why };
    }
    taken.push(found);
    return { target, rejectedBy: null, why: '' };
  });
  let left = functions.length;
  const steps = rules.map(({ name }) => {
    const rejected = considered.filter(({ rejectedBy }) => rejectedBy === name).length;
    left -= rejected;
    return { rule: name, left, rejected };
  });
  return { taken, considered, funnel: [...steps, { rule: 'taken', left, rejected: 0 }] };
}
