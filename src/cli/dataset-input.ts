import { InvalidArgumentError } from 'commander';
import { type Author, DatasetInput, type Mixture, parseInput } from '../contract';
import { given, reachable, type Written } from './input-file';

/** Flags that stand over what the input file says. */
export interface DatasetFlags {
  readonly name?: string;
  readonly campaign?: readonly string[];
  readonly rollouts?: readonly string[];
  readonly run?: readonly string[];
  readonly format?: readonly string[];
  readonly mixture?: Mixture;
  readonly extra?: readonly { name: string; path: string }[];
  readonly train?: Readonly<Record<string, readonly Author[]>>;
  readonly view?: string;
  readonly perInstance?: number | null;
  readonly maxTokens?: number;
  readonly tokenizer?: string;
  readonly validation?: number;
  readonly seed?: number;
  readonly duplicates?: boolean;
  readonly parquet?: boolean;
  readonly unresolved?: boolean;
  readonly unsubmitted?: boolean;
  readonly identical?: number;
  readonly reads?: number;
}

/** File and flags put together and checked, defaults left to the workflow. Throws `InvalidInput` that names each field. */
export function datasetInput(written: Written, flags: DatasetFlags): Written {
  const { campaign, rollouts, run, format, extra, train, tokenizer, duplicates, parquet, ...rest } = flags;
  const { unresolved, unsubmitted, identical, reads, ...fields } = rest;
  const merged: Written = { ...written, ...given({ ...fields, formats: format, extra, tokenizer }) };
  const sources = [
    ...(campaign ?? []).map((id) => ({ campaign: id })),
    ...(rollouts ?? []).map((path) => ({ rollouts: path })),
    ...(run ? [{ runs: run }] : []),
  ];
  if (sources.length > 0) merged.sources = sources;
  if (duplicates) merged.deduplicate = false;
  if (parquet === false) merged.parquet = false;
  if (train) merged.train = { ...(merged.train as object | undefined), ...train };
  const filters = given({
    ...(unresolved ? { resolved: false } : {}),
    ...(unsubmitted ? { submitted: false } : {}),
    identicalActions: identical,
    fileReads: reads,
  });
  if (Object.keys(filters).length > 0) merged.filters = { ...(merged.filters as object | undefined), ...filters };
  merged.name ??= nameAfter(campaign);
  const checked = parseInput(DatasetInput, merged, 'dataset');
  // The worker runs in another folder, so paths are handed to it in full.
  if (checked.tokenizer) merged.tokenizer = reachable(checked.tokenizer);
  if (checked.extra.length > 0) merged.extra = checked.extra.map((each) => ({ ...each, path: reachable(each.path) }));
  merged.sources = checked.sources.map((source) =>
    'rollouts' in source && typeof source.rollouts === 'string' ? { rollouts: reachable(source.rollouts) } : source,
  );
  return merged;
}

/** The last part of a single campaign's id, as far as a folder can be named after it. */
function nameAfter(campaigns: readonly string[] | undefined): string | undefined {
  const [id, ...others] = campaigns ?? [];
  if (id === undefined || others.length > 0) return undefined;
  const name = id
    .split('/')
    .at(-1)!
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
  return name === '' ? undefined : name.slice(0, 80);
}

/** `oec:bc=1:1` is a ratio, `oec=961,bc=2000` are counts. */
export function mixtureOption(text: string): Mixture {
  const [names = '', shares = ''] = text.split('=');
  if (!text.includes(',') && names.includes(':')) {
    const [each, values] = [names.split(':'), shares.split(':').map(Number)];
    if (each.length === values.length && values.every((value) => value > 0) && each.every((name) => name !== '')) {
      return { ratio: Object.fromEntries(each.map((name, i) => [name, values[i]!])) };
    }
  } else {
    const counts = text.split(',').map((part) => /^([^=]+)=(\d+)$/.exec(part.trim()));
    if (counts.every((found) => found !== null)) {
      return { counts: Object.fromEntries(counts.map((found) => [found![1]!, Number(found![2])])) };
    }
  }
  throw new InvalidArgumentError('expected a ratio, like oec:bc=1:1, or counts, like oec=961,bc=2000.');
}

/** `NAME=FILE`; may be given again. */
export function extraOption(text: string, before: readonly { name: string; path: string }[] = []) {
  const [, name, path] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || path === undefined) throw new InvalidArgumentError('expected NAME=FILE.jsonl.');
  return [...before, { name, path }];
}

/** `METHOD=student`, `METHOD=student,expert`; may be given again. */
export function trainOption(text: string, before: Readonly<Record<string, readonly Author[]>> = {}) {
  const [, method, authors] = /^([^=]+)=((?:student|expert)(?:,(?:student|expert))*)$/.exec(text) ?? [];
  if (method === undefined || authors === undefined) {
    throw new InvalidArgumentError('expected METHOD=student, METHOD=expert or METHOD=student,expert.');
  }
  return { ...before, [method]: authors.split(',') as Author[] };
}

/** A number from 1, or `none`. */
export function capOption(text: string): number | null {
  if (text === 'none') return null;
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('expected a whole number from 1, or "none".');
  return Number(text);
}

export function shareOption(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 0.5))
    throw new InvalidArgumentError('expected a share, like 0.05.');
  return value;
}
