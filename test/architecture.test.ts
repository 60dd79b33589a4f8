import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { folderOf, namesIn, ROOMS, roomOf } from '../src/rooms';

const ROOT = resolve(__dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const files = ['src', 'packages/python/src'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);
const known = new Set(files);
/** The door of the package that reads Python. */
const PYTHON = 'packages/python/src/index.ts';

interface Import {
  readonly file: string;
  /** A file of ours, or the name of a package. */
  readonly target: string;
  readonly typeOnly: boolean;
}

const imports: readonly Import[] = files.flatMap((file) =>
  [...read(file).matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|\bimport\('(\.[^']+)\.js'\)/gm)].map(
    ([, type, named, late]) => ({ file, target: fileOf(file, named ?? late ?? ''), typeOnly: type !== undefined }),
  ),
);

function fileOf(from: string, named: string): string {
  if (named === '@pointsman/python') return PYTHON;
  if (!named.startsWith('.')) return named;
  const path = join(dirname(from), named);
  return [`${path}.ts`, join(path, 'index.ts')].find((candidate) => known.has(candidate)) ?? path;
}

test('every file has a room', () => {
  expect(files.filter((file) => !roomOf(file))).toEqual([]);
});

test('imports point one way: every arrow between rooms is one that the list of rooms allows', () => {
  const wrong = imports.filter(({ file, target, typeOnly }) => {
    const [from, to] = [roomOf(file), roomOf(target)];
    if (!from || !to || from === to) return false;
    const { imports: allowed, types } = ROOMS[from]!;
    return namesIn(types).includes(to) ? !typeOnly : !namesIn(allowed).includes(to);
  });
  expect(wrong).toEqual([]);
});

test('every arrow of the list is there: what no file needs is not allowed', () => {
  const used = new Set(imports.map(({ file, target }) => `${roomOf(file)} → ${roomOf(target)}`));
  const allowed = Object.entries(ROOMS).flatMap(([from, { imports: some, types }]) =>
    [...namesIn(some), ...namesIn(types)].map((to) => `${from} → ${to}`),
  );
  expect(allowed.filter((arrow) => !used.has(arrow))).toEqual([]);
});

test('pure rooms import neither Temporal nor Docker nor what Node does outside of the process', () => {
  const outside = /^(node:(?!crypto$|util$|path$)|@temporalio|dockerode|openai|pino)/;
  const wrong = imports.filter(({ file, target }) => ROOMS[roomOf(file) ?? '']?.pure && outside.test(target));
  expect(wrong).toEqual([]);
});

test('one folder knows the engine of sandboxes: everything else uses the interface', () => {
  const wrong = imports.filter(({ file, target }) => target === 'dockerode' && roomOf(file) !== 'sandbox/docker');
  expect(wrong).toEqual([]);
});

test('a package is entered by its name', () => {
  const wrong = imports.filter(
    ({ file, target }) => !file.startsWith('packages/') && target.startsWith('packages/') && target !== PYTHON,
  );
  expect(wrong).toEqual([]);
});

test('no file imports itself by way of others', () => {
  const arrows = new Map(files.map((file) => [file, [] as string[]]));
  for (const { file, target } of imports) if (known.has(target)) arrows.get(file)!.push(target);
  expect(cyclesIn(arrows)).toEqual([]);
});

test('an object has a line for each field, or stands on one line: none is packed', () => {
  expect(files.filter((file) => /\.\.\.\{ /.test(read(file)))).toEqual([]);
});

test('what a test names beside itself or in the sources is there, also after a move', () => {
  const tests = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.ts$/.test(name),
  );
  const missing = tests.flatMap((name) => {
    const file = join('test', name);
    return [...read(file).matchAll(/\bjoin\(__dirname, ((?:'[^']+'(?:, )?)+)\)/g)]
      .map(([, parts]) => join(dirname(file), ...parts!.split(/', '|'/)))
      .filter((path) => !path.startsWith('..') && !existsSync(join(ROOT, path)));
  });
  expect(missing).toEqual([]);
});

/** What is compared with times of others. */
const BY_THE_CLOCK: Readonly<Record<string, string>> = {
  'src/cli/campaign/watch.ts': "the server's time of a start",
  'src/sandbox/docker/make-room.ts': "the engine's times of images",
  'src/store/result-folders.ts': "a file's time",
};

test('what lasts is measured by a clock that nobody sets; workflows have one of their own', () => {
  const lasts = /Date\.now\(\) (?:-|<|>)|(?:began|until|deadline|At|seen\.set\(id),? =? ?Date\.now\(\)(?! \/)/;
  const set = files.filter(
    (file) =>
      !file.startsWith('src/workflows/') &&
      read(file)
        .split('\n')
        .some((line) => lasts.test(line) && !/withDeadline/.test(line)),
  );
  expect(set.filter((file) => !(file in BY_THE_CLOCK))).toEqual([]);
});

test('a name says what a file holds, in one way', () => {
  const inside = (pattern: RegExp) => files.filter((file) => pattern.test(relative('src', file)));
  expect(inside(/(^|\/)(utils?|helpers?|misc|common)(\.ts|\/)/)).toEqual([]);
  expect(files.filter((file) => /[A-Z_]/.test(basename(file)))).toEqual([]);
});

test('CONTRIBUTING shows the same rooms', () => {
  const shown = [
    ...read('CONTRIBUTING.md')
      .split('| room |')[1]!
      .matchAll(/^\| `((?:src|packages)\/[^`]+)` \| (.*?) \| (.*?) \|$/gm),
  ].map(([, ...columns]) => columns);
  const listed = (rooms?: string) =>
    namesIn(rooms)
      .map((room) => `\`${room}\``)
      .join(', ');
  const rows = Object.entries(ROOMS).map(([room, { holds, imports: may, types }]) => [
    folderOf(room),
    holds,
    (listed(may) || 'nothing of ours') + (types ? `; as types ${listed(types)}` : ''),
  ]);
  expect(shown).toEqual(rows);
});

/** Groups of files of which each reaches all others (Tarjan, 1972). */
function cyclesIn(arrows: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    low.set(file, order.get(file)!);
    stack.push(file);
    for (const next of arrows.get(file) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file)!, low.get(next)!));
    }
    if (low.get(file) !== order.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1) found.push(group.sort());
  };
  for (const file of arrows.keys()) if (!order.has(file)) visit(file);
  return found;
}
