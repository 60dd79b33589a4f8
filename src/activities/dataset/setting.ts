import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { profileNamed } from '../../config';
import {
  type Author,
  type DatasetInput,
  DialectName,
  nearest,
  PointsmanError,
  type Price,
  type Ref,
  type RolloutRow,
  View,
} from '../../contract';
import { type ChatTokenizer, createChatTokenizer } from '../../dataset/chat-tokenizer';
import { mixtureNames } from '../../dataset/selection';
import type { Deps } from '../../deps';
import type { Prompts } from '../../rollout/prompts';
import { viewHere } from '../../roots';
import { fileLines } from '../../store/file-lines';
import { readTokenizerFolder } from '../../store/tokenizer-files';
import { promptsFor } from '../prompts';
import { rowsOfSources } from '../rollout/rollout-rows';

/** Rows that are judged together. Lines of `RolloutRow`, or of an extra source from its line `from` on. */
export interface DatasetPage {
  readonly lines: Ref;
  /** Index in `input.extra`; absent for rollouts. */
  readonly extra?: number;
  /** Number of the first line, from 1. */
  readonly from: number;
}

interface ProfileFact {
  readonly name: string;
  readonly author: Author;
  /** Null where the configuration no longer has the profile. */
  readonly model: string | null;
  readonly scripted: boolean;
  readonly price: Price | null;
}

/** All that a run of `dataset` works on, fixed when it begins, so that prompts or rows that change later change nothing. */
export interface DatasetSetting {
  readonly input: DatasetInput;
  readonly view: View;
  readonly prompts: Prompts;
  /** Ours, for formats that prescribe a dialect. */
  readonly dialectPrompts: Readonly<Record<DialectName, Prompts>>;
  /** Digest of the tokenizer's files. */
  readonly tokenizer: string | null;
  readonly profiles: readonly ProfileFact[];
  /** Digest of the rollouts' rows, sorted by id. */
  readonly rollouts: string;
  readonly pages: readonly DatasetPage[];
  readonly rows: number;
  /** What a look at the first rows found of the tokenizer's chat template. */
  readonly template?: readonly string[];
}

/** Pages of rollouts at most: what a workflow's history holds does not grow with the number of rows. */
const PAGES = 200;
const PAGE_ROWS = 10;
const EXTRA_PAGE_BYTES = 1 << 20;

/** Reads the sources and checks all that can be wrong with an input before any row is judged. Throws `InvalidInput`. */
export async function readSetting(deps: Deps, given: DatasetInput): Promise<DatasetSetting> {
  const input = { ...given, formats: [...new Set(given.formats)] };
  const rows = (await rowsOfSources(deps, input.sources)).sort((a, b) => (a.id < b.id ? -1 : 1));
  refuseUnknownNames(input, rows);
  if (input.formats.includes('tokens') && input.tokenizer === undefined && !someKeepTokens(deps, rows)) {
    throw new PointsmanError(
      'InvalidInput',
      'tokenizer: the format `tokens` needs one (found nothing)',
      'Give the folder of tokenizer.json, or roll out with profiles that have `keepTokens: true`.',
    );
  }
  refuseUnfitTeacher(deps, input);
  const view = await viewOf(deps, input, rows);
  const dialectPrompts = DialectName.options.map((dialect) => [dialect, promptsFor(View.parse({ dialect }))] as const);
  const pages = [...(await rolloutPages(deps, rows)), ...(await extraPages(deps, input))];
  return {
    input,
    view,
    prompts: promptsFor(await viewHere(deps.roots, view)),
    dialectPrompts: Object.fromEntries(dialectPrompts) as Record<DialectName, Prompts>,
    tokenizer:
      input.tokenizer === undefined
        ? null
        : (await tokenizerIn(await deps.roots.here(input.tokenizer, 'tokenizer'))).digest,
    profiles: profilesOf(deps, rows),
    rollouts: digestOf(rows),
    pages: pages.map(({ page }) => page),
    rows: pages.reduce((sum, { count }) => sum + count, 0),
  };
}

/** `distill` and the teacher need one another. Throws `InvalidInput`. */
function refuseUnfitTeacher({ config }: Deps, { teacher, formats }: DatasetInput): void {
  const wanted = formats.includes('distill');
  if (teacher) profileNamed(config, teacher.profile);
  if (wanted === (teacher !== undefined)) return;
  throw wanted
    ? new PointsmanError(
        'InvalidInput',
        'teacher: the format `distill` needs one (found nothing)',
        'Name a profile whose server scores given tokens: `--teacher PROFILE`.',
      )
    : new PointsmanError(
        'InvalidInput',
        'teacher: none of the formats asks one',
        'Add `distill` to the formats, or leave the teacher out.',
      );
}

/** Rows of such profiles need no tokenizer: those that lack tokens all the same are left out, and counted. */
function someKeepTokens({ config }: Deps, rows: readonly RolloutRow[]): boolean {
  return rows.some(({ student, expert }) =>
    [student, expert].some((name) => name !== null && config.profiles[name]?.keepTokens === true),
  );
}

/** A method that is misspelt in `train` or `mixture` would leave all of it out without a word. */
function refuseUnknownNames({ mixture, train, extra }: DatasetInput, rows: readonly RolloutRow[]): void {
  const methods = [...new Set(rows.map(({ method }) => method))].sort();
  const extras = extra.map(({ name }) => name);
  const known = (field: string, name: string, names: readonly string[]) => {
    if (names.includes(name)) return;
    const close = nearest(name, names);
    throw new PointsmanError(
      'InvalidInput',
      `${field}: no source has "${name}"${close ? `, did you mean "${close}"?` : ` (known: ${names.join(', ') || 'none'})`}`,
      'Name methods of the rollouts, or extra sources.',
    );
  };
  for (const name of mixture ? mixtureNames(mixture) : []) known('mixture', name, [...methods, ...extras]);
  for (const name of Object.keys(train)) known('train', name, methods);
  const twice = extras.find((name, at) => methods.includes(name) || extras.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new PointsmanError(
      'InvalidInput',
      `extra: the name "${twice}" stands for something else already`,
      'Give each source a name of its own.',
    );
  }
}

/** The view that is asked for, else the one that all students share. */
async function viewOf({ config, roots }: Deps, { view }: DatasetInput, rows: readonly RolloutRow[]): Promise<View> {
  if (typeof view === 'string') return profileNamed(config, view).view;
  if (view) {
    await viewHere(roots, view);
    return view;
  }
  const students = [...new Set(rows.flatMap(({ student }) => student ?? []))].sort();
  const views = students.map((name) => profileNamed(config, name).view);
  const [first] = views;
  if (first && views.every((each) => JSON.stringify(each) === JSON.stringify(first))) return first;
  throw new PointsmanError(
    'InvalidInput',
    first
      ? `view: the rollouts have students of several formats (${students.join(', ')})`
      : 'view: no rollout has a student, whose format would be trained (found nothing)',
    'Say which format is trained: `"view": "PROFILE"`, or `"view": {"dialect": "xml"}`.',
  );
}

function profilesOf({ config }: Deps, rows: readonly RolloutRow[]): ProfileFact[] {
  const facts = new Map<string, ProfileFact>();
  for (const row of rows) {
    for (const author of ['student', 'expert'] as const) {
      const name = row[author];
      if (name === null) continue;
      const profile = config.profiles[name];
      const model = profile?.model ?? null;
      facts.set(`${author} ${name}`, {
        name,
        author,
        model,
        scripted: profile?.provider === 'rehearsal',
        price: profile?.price ?? null,
      });
    }
  }
  return [...facts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, fact]) => fact);
}

interface CountedPage {
  readonly page: DatasetPage;
  readonly count: number;
}

async function rolloutPages({ blobs }: Deps, rows: readonly RolloutRow[]): Promise<CountedPage[]> {
  const size = Math.max(PAGE_ROWS, Math.ceil(rows.length / PAGES));
  const pages: CountedPage[] = [];
  for (let from = 0; from < rows.length; from += size) {
    const part = rows.slice(from, from + size);
    pages.push({ page: { lines: await blobs.put(part.map(lineOf).join('')), from: from + 1 }, count: part.length });
  }
  return pages;
}

async function extraPages({ blobs, roots }: Deps, { extra }: DatasetInput): Promise<CountedPage[]> {
  const pages: CountedPage[] = [];
  for (const [index, { name, path }] of extra.entries()) {
    const here = await roots.here(path, `extra.${name}`);
    const size = await stat(here).catch((error: NodeJS.ErrnoException) => {
      throw new PointsmanError(
        'InvalidInput',
        `extra.${name}: ${path} cannot be read: ${error.message}`,
        'Give a path that the host of the worker can read.',
      );
    });
    const limit = Math.max(EXTRA_PAGE_BYTES, size.size / PAGES);
    let lines: string[] = [];
    let bytes = 0;
    let number = 0;
    const turn = async () => {
      if (lines.length === 0) return;
      const page = { lines: await blobs.put(lines.join('')), extra: index, from: number - lines.length + 1 };
      pages.push({ page, count: lines.filter((line) => line !== '\n').length });
      [lines, bytes] = [[], 0];
    };
    for await (const line of fileLines(here)) {
      number += 1;
      lines.push(`${line}\n`);
      bytes += line.length;
      if (bytes >= limit) await turn();
    }
    await turn();
  }
  return pages;
}

function digestOf(rows: readonly RolloutRow[]): string {
  const hash = createHash('sha256');
  for (const row of rows) hash.update(lineOf(row));
  return hash.digest('hex');
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

const made = new Map<string, Promise<ChatTokenizer>>();

/** The tokenizer in a folder, and the digest of its files; made once a process for the same files. Throws `InvalidInput`. */
export async function tokenizerIn(folder: string): Promise<{ tokenizer: ChatTokenizer; digest: string }> {
  const { digest, ...files } = await readTokenizerFolder(folder);
  const making = made.get(digest) ?? createChatTokenizer(files);
  made.set(digest, making);
  making.catch(() => made.delete(digest));
  return { tokenizer: await making, digest };
}
