import { readJson, readToml, type Table, tablesOf } from '../setup/repository/tables';

/**
 * Files that configure the test run in some of their tables and hold what is the candidate's own in others. By name, the
 * tables that are the problem's.
 */
export const SHARED: Readonly<Record<string, Shared>> = {
  'pyproject.toml': toml([
    ['tool', 'pytest'],
    ['tool', 'coverage'],
    ['tool', 'tox'],
    ['tool', 'nox'],
    ['tool', 'hatch', 'envs'],
    ['tool', 'pdm', 'scripts'],
    ['tool', 'rye', 'scripts'],
    ['tool', 'poe'],
    ['tool', 'taskipy'],
    ['tool', 'uv'],
    ['tool', 'poetry', 'plugins', 'pytest11'],
    ['tool', 'flit', 'entrypoints', 'pytest11'],
    ['project', 'entry-points', 'pytest11'],
    ['build-system'],
  ]),
  'setup.cfg': ini(
    /^(tool:pytest|pytest|tox:.*|tool:tox|testenv.*|coverage:.*|aliases|test|nosetests|options\.entry_points)$/,
  ),
  // Its sections refer to each other by any name; only those of linters are surely none of the run's.
  'tox.ini': ini(/^(?!(flake8|isort|pycodestyle|pydocstyle|pep8|doc8|pylint.*|mypy.*|black|ruff|rstcheck)$)/),
  'cargo.toml': toml([
    ['test'],
    ['lib', 'test'],
    ['lib', 'harness'],
    ['lib', 'path'],
    ['profile'],
    ['patch'],
    ['replace'],
    ['dev-dependencies'],
    ['package', 'build'],
    ['package', 'autotests'],
  ]),
  'package.json': json(['scripts', 'jest', 'mocha', 'ava', 'vitest', 'tap', 'nyc', 'c8', 'babel', 'devDependencies']),
  'go.mod': goMod(),
};

export interface Shared {
  /** The tables that are the problem's, in a spelling that is the same for what means the same. */
  protects(text: string): string;
  /** `now` with those tables as they are in `before`. */
  putBack(before: string, now: string): string;
}

/** How a file is shared; undefined for one that is not. Names are compared without case. */
export function sharedAs(path: string): Shared | undefined {
  const name = path.split('/').at(-1)!.toLowerCase();
  return Object.hasOwn(SHARED, name) ? SHARED[name] : undefined;
}

/**
 * The text of a shared file for the judged tree: the candidate's, with the tables that configure the test run as the
 * problem has them. Undefined where the file is not to be there. `gold` is its text with the gold patch, where that
 * touches the file: tables that the gold patch changes are the candidate's to change. Where the tables cannot be put back
 * so that they mean the same, it is the problem's text as a whole.
 */
export function restored(
  path: string,
  before: string | undefined,
  now: string | undefined,
  gold?: string,
): string | undefined {
  const shared = sharedAs(path);
  if (shared === undefined || before === now) return now;
  const wanted = shared.protects(before ?? '');
  if (gold !== undefined && shared.protects(gold) !== wanted) return now;
  if (shared.protects(now ?? '') === wanted) return now;
  const result = shared.putBack(before ?? '', now ?? '');
  if (shared.protects(result) !== wanted) return before;
  return result.trim() === '' ? undefined : result;
}

/** A header and what follows it, up to the next. */
interface Block {
  readonly name: string;
  readonly text: string;
}

function blocksOf(text: string, header: RegExp): Block[] {
  const blocks: { name: string; lines: string[] }[] = [{ name: '', lines: [] }];
  for (const line of text.split('\n')) {
    const name = header.exec(line)?.[1];
    if (name !== undefined) blocks.push({ name: name.trim(), lines: [] });
    blocks.at(-1)!.lines.push(line);
  }
  return blocks.map(({ name, lines }) => ({ name, text: lines.join('\n') }));
}

/** Blocks of `now` that are the candidate's, then those of `before` that are the problem's. */
function blocksPutBack(before: string, now: string, header: RegExp, isOurs: (name: string) => boolean): string {
  const kept = blocksOf(now, header).filter(({ name }) => name === '' || !isOurs(name));
  const ours = blocksOf(before, header).filter(({ name }) => name !== '' && isOurs(name));
  return `${[...kept, ...ours]
    .map(({ text }) => text.replace(/(?<!\n)\n+$/, ''))
    .filter(Boolean)
    .join('\n\n')}\n`;
}

function toml(paths: readonly (readonly string[])[]): Shared {
  const names = paths.map((path) => path.join('.'));
  const isOurs = (header: string) => {
    const name = header.replace(/["'\s[\]]/g, '');
    return names.some((own) => name === own || name.startsWith(`${own}.`));
  };
  return {
    protects(text) {
      const table = readToml(text);
      return canonical(paths.map((path) => path.reduce<unknown>((value, key) => tablesOf(value)[key], table)));
    },
    putBack: (before, now) => blocksPutBack(before, now, /^\s*(\[[^\]]+\]{1,2})\s*(?:#.*)?$/, isOurs),
  };
}

/** As configparser and pytest's own reader take it: a section begins wherever a line looks like its header. */
function ini(sections: RegExp): Shared {
  const header = /^\s*\[([^\]]+)\]/;
  const isOurs = (name: string) => sections.test(name.toLowerCase());
  return {
    protects: (text) =>
      blocksOf(text, header)
        .filter(({ name }) => name !== '' && isOurs(name))
        .map(({ text: block }) =>
          block
            .replace(/^[ \t]*[#;].*$/gm, '')
            .replace(/(?<!\s)\s*\n\s*/g, '\n')
            .trim(),
        )
        .join('\n'),
    putBack: (before, now) => blocksPutBack(before, now, header, isOurs),
  };
}

function json(keys: readonly string[]): Shared {
  return {
    protects(text) {
      const table = readJson(text);
      return canonical(keys.map((key) => table[key]));
    },
    putBack(before, now) {
      const [old, own] = [readJson(before), readJson(now)];
      const entries = Object.entries(own).filter(([key]) => !keys.includes(key));
      const ours = Object.entries(old).filter(([key]) => keys.includes(key));
      return `${JSON.stringify(Object.fromEntries([...entries, ...ours]), null, 2)}\n`;
    },
  };
}

/** Go reads other code for a module where `replace` says so. */
function goMod(): Shared {
  const directive = /^[ \t]*(?:replace|toolchain|exclude)\b[ \t]*(?:\([^)]*\)|[^\n]*)[ \t]*\n?/gm;
  const directives = (text: string) => text.match(directive) ?? [];
  return {
    protects: (text) =>
      directives(text)
        .map((each) => each.trim().replace(/\s+/g, ' '))
        .join('\n'),
    putBack: (before, now) => `${now.replace(directive, '').trimEnd()}\n${directives(before).join('')}`,
  };
}

/** The same text for values that are the same, whatever the order of their keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint'
      ? String(each)
      : typeof each === 'object' && each !== null && !Array.isArray(each) && !(each instanceof Date)
        ? Object.fromEntries(Object.entries(each as Table).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
  );
}
