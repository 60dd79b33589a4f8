import { type FunctionSyntax, functionsOf, type PythonIndex, Resolver, targetOf } from '@pointsman/python';
import {
  type ConsideredFunction,
  FilterTable,
  type FunctionFilters,
  nearest,
  PointsmanError,
  parseInput,
} from '../../contract';
import { isOverload } from '../candidate';
import { rulesOf } from './rules';
import { BODY_WORDS, DOCSTRING_WORDS, EXCLUDED_FILES, NAME_PREFIXES } from './words';

/** Our own filters: what a table that says nothing means. */
export const DEFAULT_FILTERS: FunctionFilters = {
  docstringWords: [...DOCSTRING_WORDS],
  bodyWords: Object.values(BODY_WORDS).flat(),
  namePrefixes: [...NAME_PREFIXES],
  requireDocstring: true,
  requireDependency: true,
  requireInputAndOutput: true,
  decorators: [],
  minLines: 2,
  maxLines: 60,
  excludeFiles: Object.values(EXCLUDED_FILES).flat(),
};

/**
 * The filters that a user's table means. A field that is missing is ours, `null` switches its rule off, a list takes ours'
 * place, and a list of `+word` and `-word` extends and shrinks it. Throws `InvalidInput` that names the field.
 */
export function resolveFilters(table: unknown): FunctionFilters {
  const given = parseInput(FilterTable, table ?? {}, 'filters');
  const list = (field: ListField) => {
    const words = given[field];
    return words === undefined ? DEFAULT_FILTERS[field] : words && merged(field, words);
  };
  const bounds = {
    minLines: given.minLines === undefined ? DEFAULT_FILTERS.minLines : given.minLines,
    maxLines: given.maxLines === undefined ? DEFAULT_FILTERS.maxLines : given.maxLines,
  };
  if (bounds.minLines !== null && bounds.maxLines !== null && bounds.minLines > bounds.maxLines) {
    throw invalid(
      'minLines',
      `${bounds.minLines} is more than maxLines, ${bounds.maxLines}`,
      'No function could pass.',
    );
  }
  return {
    docstringWords: list('docstringWords'),
    bodyWords: list('bodyWords'),
    namePrefixes: list('namePrefixes'),
    requireDocstring: given.requireDocstring ?? DEFAULT_FILTERS.requireDocstring,
    requireDependency: given.requireDependency ?? DEFAULT_FILTERS.requireDependency,
    requireInputAndOutput: given.requireInputAndOutput ?? DEFAULT_FILTERS.requireInputAndOutput,
    decorators: list('decorators'),
    ...bounds,
    excludeFiles: list('excludeFiles') ?? [],
  };
}

type ListField = 'docstringWords' | 'bodyWords' | 'namePrefixes' | 'decorators' | 'excludeFiles';

function merged(field: ListField, words: readonly string[]): string[] {
  const signed = words.filter((word) => /^[+-]/.test(word));
  if (signed.length === 0) return [...words];
  const plain = words.find((word) => !signed.includes(word));
  if (plain !== undefined) {
    throw invalid(
      field,
      `"${plain}" has no sign and "${signed[0]}" has one`,
      'Sign all (+ and - change our list) or none (a list of your own).',
    );
  }
  const ours = new Set(DEFAULT_FILTERS[field]);
  for (const word of signed) {
    const bare = word.slice(1);
    if (word.startsWith('+')) ours.add(bare);
    else if (!ours.delete(bare)) {
      const close = nearest(bare, [...ours]);
      throw invalid(
        field,
        `"${bare}" is not in our list${close ? `, did you mean "-${close}"?` : ''}`,
        'Only what is there can be taken out.',
      );
    }
  }
  return [...ours];
}

function invalid(field: string, what: string, hint: string): PointsmanError {
  return new PointsmanError('InvalidInput', `filters: ${field}: ${what}`, hint);
}

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
