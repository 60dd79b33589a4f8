import { createHash } from 'node:crypto';
import { VariantKind } from '../../contract';
import { openGoTests } from './go';
import { openJavascriptTests } from './javascript';
import { openPythonTests } from './python';
import { openRustTests } from './rust';
import {
  type Draft,
  type Found,
  type LocatedTest,
  none,
  type Suite,
  type TestFile,
  type Variant,
  type Without,
} from './variant';

export type { Found, TestFile, Variant, Without } from './variant';

/** A language whose tests can be made wrong: which files are its, and how they are read. */
interface Language {
  readonly files: RegExp;
  readonly open: () => Promise<(files: readonly TestFile[]) => Suite>;
}

const LANGUAGES = {
  python: { files: /\.pyi?$/, open: openPythonTests },
  go: { files: /\.go$/, open: openGoTests },
  javascript: { files: /\.[cm]?[jt]sx?$/, open: openJavascriptTests },
  rust: { files: /\.rs$/, open: openRustTests },
} as const satisfies Record<string, Language>;

type LanguageName = keyof typeof LANGUAGES;

/** The grammars, loaded. */
export type Languages = ReadonlyMap<LanguageName, (files: readonly TestFile[]) => Suite>;

const MOST_VARIANTS = 6;
/** Types are guessed: where all guesses are wrong something has to be left that is certain. */
const MOST_GUESSES = 4;

let opened: Promise<Languages> | undefined;

/** Loads the grammars once for the process. */
export function openLanguages(): Promise<Languages> {
  opened ??= load();
  return opened;
}

async function load(): Promise<Languages> {
  const languages = new Map<LanguageName, (files: readonly TestFile[]) => Suite>();
  for (const name of names()) languages.set(name, await LANGUAGES[name].open());
  return languages;
}

function names(): LanguageName[] {
  return Object.keys(LANGUAGES) as LanguageName[];
}

/**
 * Wrong expectations for tests: each passes for no deterministic solution that passes the true test. At most six a test,
 * in order of worth; of several kinds at one statement the later ones come after all other statements. `files` are the
 * test files and the helpers that they import; ids are those of any runner of the language. What is found is a proposal:
 * one is admitted only when it failed with the right solution and with none.
 */
export function findVariants(languages: Languages, files: readonly TestFile[], tests: readonly string[]): Found {
  const suites = names().flatMap((name) => {
    const own = files.filter(({ path }) => LANGUAGES[name].files.test(path));
    const read = languages.get(name);
    return own.length > 0 && read ? [read(own)] : [];
  });
  const changed = new Map<string, { draft: Draft; tests: string[] }>();
  const without: Without[] = [];
  for (const test of new Set(tests)) {
    const { drafts, why } = located(suites, test);
    if (drafts.length === 0) without.push({ test, why });
    for (const draft of mostWorth(drafts)) {
      const id = idOf(draft);
      const known = changed.get(id);
      if (known) known.tests.push(test);
      else changed.set(id, { draft, tests: [test] });
    }
  }
  const variants = Array.from(changed, ([id, each]) => variantOf(id, each.draft, each.tests));
  return { variants: variants.sort(byPlace), without };
}

function located(suites: readonly Suite[], test: string): LocatedTest {
  let best = none(
    suites.length > 0 ? 'no test of this name in the files given' : 'no file of a language that can be read',
  );
  for (const suite of suites) {
    const found = suite.locate(test);
    if (found.drafts.length > 0) return found;
    if (!/^no test of this name/.test(found.why)) best = found;
  }
  return best;
}

const worth = ({ kind }: Draft) => VariantKind.options.indexOf(kind);

/** Drafts of one statement are ranked among themselves first, so that other statements come before a second kind. */
function mostWorth(drafts: readonly Draft[]): Draft[] {
  const ordered = drafts
    .map((draft, at) => ({ draft, at }))
    .sort((one, other) => worth(one.draft) - worth(other.draft) || one.at - other.at);
  const taken = new Map<string, number>();
  let guesses = 0;
  return ordered
    .map(({ draft }) => {
      const place = `${draft.file.path} ${draft.statement.start}`;
      const rank = taken.get(place) ?? 0;
      taken.set(place, rank + 1);
      return { draft, rank };
    })
    .sort((one, other) => one.rank - other.rank)
    .filter(({ draft }) => draft.kind !== 'value-type' || ++guesses <= MOST_GUESSES)
    .slice(0, MOST_VARIANTS)
    .sort((one, other) => worth(one.draft) - worth(other.draft) || one.rank - other.rank)
    .map(({ draft }) => draft);
}

const ids = new WeakMap<Draft, string>();

function idOf(draft: Draft): string {
  let id = ids.get(draft);
  if (id === undefined) {
    const { file, from, to, kind, texts } = draft;
    const named = [file.path, from, to, kind, texts[0]].join('\0');
    id = createHash('sha256').update(named).digest('hex').slice(0, 16);
    ids.set(draft, id);
  }
  return id;
}

const lineStarts = new WeakMap<TestFile, number[]>();

function lineAt(file: TestFile, offset: number): number {
  let starts = lineStarts.get(file);
  if (!starts) {
    starts = [0, ...Array.from(file.text.matchAll(/\r\n?|\n/g), ({ index, 0: end }) => index + end.length)];
    lineStarts.set(file, starts);
  }
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

function variantOf(
  id: string,
  { kind, file, from, to, texts, fails, statement }: Draft,
  tests: readonly string[],
): Variant {
  return {
    id,
    kind,
    tests,
    path: file.path,
    line: lineAt(file, statement.start),
    lastLine: lineAt(file, Math.max(statement.start, statement.end - 1)),
    changedLine: lineAt(file, from),
    from,
    to,
    was: file.text.slice(from, to),
    texts,
    fails,
  };
}

function byPlace(one: Variant, other: Variant): number {
  if (one.path !== other.path) return one.path < other.path ? -1 : 1;
  return worthOf(one) - worthOf(other) || one.from - other.from || (one.texts[0]! < other.texts[0]! ? -1 : 1);
}

function worthOf({ kind }: Variant): number {
  return VariantKind.options.indexOf(kind);
}

/** A variant with the text that was drawn for it. */
export interface Chosen {
  readonly variant: Variant;
  readonly text: string;
}

export interface Applied {
  readonly files: readonly TestFile[];
  /** Those that overlap one before them in the list, and are not in the files. */
  readonly dropped: readonly Chosen[];
}

/**
 * The files with expectations changed. The same place twice with the same text is one edit; of places that overlap the
 * first in the list is taken and the others are dropped. Throws where a file is not the one that the variant was found in.
 */
export function withVariants(files: readonly TestFile[], chosen: readonly Chosen[]): Applied {
  const dropped: Chosen[] = [];
  const byPath = new Map<string, Chosen[]>();
  for (const each of chosen) {
    const taken = byPath.get(each.variant.path) ?? [];
    byPath.set(each.variant.path, taken);
    const clash = taken.find((other) => overlaps(other.variant, each.variant));
    if (!clash) taken.push(each);
    else if (!isSame(clash, each)) dropped.push(each);
  }
  const changed = files.map((file) => {
    const edits = (byPath.get(file.path) ?? []).sort((one, other) => other.variant.from - one.variant.from);
    return edits.length === 0 ? file : { path: file.path, text: edits.reduce(applied, file.text) };
  });
  const known = new Set(files.map(({ path }) => path));
  for (const path of byPath.keys())
    if (!known.has(path)) throw new Error(`a variant is of ${path}, which is not among the files`);
  return { files: changed, dropped };
}

function applied(text: string, { variant, text: now }: Chosen): string {
  const { from, to, was, path } = variant;
  if (text.slice(from, to) !== was) throw new Error(`${path} is not the file that variant ${variant.id} was found in`);
  return text.slice(0, from) + now + text.slice(to);
}

/** Two that put something in at one place overlap too: which would come first? */
function overlaps(one: Variant, other: Variant): boolean {
  return (one.from === other.from && one.to === other.to) || (one.from < other.to && other.from < one.to);
}

function isSame(one: Chosen, other: Chosen): boolean {
  return one.variant.from === other.variant.from && one.variant.to === other.variant.to && one.text === other.text;
}
