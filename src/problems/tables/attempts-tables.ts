import { type AttemptRecord, HarnessFailure, type TriedFunction } from '../../contract';
import { markdownTable } from './markdown-table';

interface Tried extends AttemptRecord {
  readonly outOfFile: boolean;
}

type Tries = readonly Pick<TriedFunction, 'attempts' | 'outOfFile'>[];

/** Validity, branch coverage and mutation score by author and context, in-file and out-file apart: R2E's table 1. */
export function attemptsSection(results: Tries): string {
  const groups = grouped(triedIn(results));
  if (groups.length === 0) return 'None was tried.';
  const inFile = ({ tried }: Group) => tried.filter(({ outOfFile }) => !outOfFile);
  const outFile = ({ tried }: Group) => tried.filter(({ outOfFile }) => outOfFile);
  const sides = [
    { name: 'in-file', of: inFile },
    { name: 'out-file', of: outFile },
  ].flatMap(({ name, of }) => [
    { title: name, value: (group: Group) => String(of(group).length), right: true },
    { title: 'valid', value: (group: Group) => validityOf(of(group)), right: true },
    { title: 'coverage', value: (group: Group) => coverageOf(of(group)), right: true },
    { title: 'mutants', value: (group: Group) => mutationOf(of(group)), right: true },
  ]);
  const table = markdownTable(
    [...groups, allOf(groups)],
    [
      { title: 'author', value: ({ author }) => author },
      { title: 'context', value: ({ context }) => context },
      { title: 'mode', value: ({ mode }) => mode },
      ...sides,
      { title: 'repairs', value: ({ tried }) => mean(tried.map(({ repairs }) => repairs)).toFixed(1), right: true },
    ],
  );
  return `Harnesses that were tried, the share that is valid (the same each time, on the function itself), and of the valid ones the mean branch coverage and the mean share of mutants that they kill.\n\n${table}`;
}

/** Why harnesses were of no use, by author. One harness may fail in several ways; those that are valid are counted apart. */
export function failuresSection(results: Tries): string {
  const groups = grouped(triedIn(results));
  if (groups.length === 0) return 'None was tried.';
  const first = ({ tried }: Group, failure: string) =>
    tried.filter(({ valid, failures }) => !valid && (failures[0] ?? 'unknown') === failure).length;
  const classes = [...HarnessFailure.options, 'unknown'].filter((failure) =>
    groups.some((group) => first(group, failure) > 0),
  );
  const table = markdownTable(
    [...groups, allOf(groups)],
    [
      { title: 'author', value: ({ author }) => author },
      { title: 'context', value: ({ context }) => context },
      { title: 'mode', value: ({ mode }) => mode },
      { title: 'valid', value: ({ tried }) => String(tried.filter(({ valid }) => valid).length), right: true },
      ...classes.map((failure) => ({
        title: failure.replaceAll('_', ' '),
        value: (group: Group) => String(first(group, failure)),
        right: true,
      })),
      { title: 'all', value: ({ tried }) => String(tried.length), right: true },
    ],
  );
  return `Each harness that is not valid under the first of its failures.\n\n${table}`;
}

interface Group {
  readonly author: string;
  readonly context: string;
  readonly mode: string;
  readonly tried: readonly Tried[];
}

function triedIn(results: Tries): Tried[] {
  return results.flatMap(({ attempts, outOfFile }) => attempts.map((each) => ({ ...each, outOfFile })));
}

function grouped(tried: readonly Tried[]): Group[] {
  const groups = new Map<string, Group>();
  for (const each of tried) {
    const { author, context, mode } = each.attempt;
    const key = [author, mode, context].join(' ');
    groups.set(key, { author, context, mode, tried: [...(groups.get(key)?.tried ?? []), each] });
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

function allOf(groups: readonly Group[]): Group {
  return { author: 'all', context: '', mode: '', tried: groups.flatMap(({ tried }) => tried) };
}

/** Share of harnesses that are valid. */
export function validityOf(tried: readonly AttemptRecord[]): string {
  return share(tried.filter(({ valid }) => valid).length, tried.length);
}

/** Mean branch coverage of the valid ones. */
export function coverageOf(tried: readonly AttemptRecord[]): string {
  const measured = tried.flatMap(({ valid, quality }) => (valid && quality ? quality.branchCoverage : []));
  return measured.length === 0 ? '–' : percent(mean(measured));
}

/** Mean share of killed mutants, of the valid ones whose function can be mutated. */
export function mutationOf(tried: readonly AttemptRecord[]): string {
  const measured = tried.flatMap(({ valid, quality }) => (valid ? (quality?.mutationScore ?? []) : []));
  return measured.length === 0 ? '–' : percent(mean(measured));
}

/** 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** `0.523` → `52.3 %` */
export function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

/** A dash of nothing. */
export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : percent(part / whole);
}
