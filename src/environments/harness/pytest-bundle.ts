import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files by path, relative to the folder that the hidden tests of a function problem get. */
type PytestBundle = Readonly<Record<string, string>>;

const TESTS = ['test_equivalence.py', 'pointsman_compare.py'];
/** What runs cases; recorders and generators have no business in a repository that is only graded. */
const ENTRIES = ['run.py', 'pointsman_cases.py'];

let bundle: PytestBundle | undefined;

/**
 * The Python that lets a repository be graded by pytest without anything of ours installed: the tests, the comparator, and
 * of the guest what runs cases. Read once a process.
 */
export function pytestBundle(): PytestBundle {
  bundle ??= Object.fromEntries([
    ...TESTS.map((name) => [name, textOf('pytest', name)]),
    ...[...closure(ENTRIES)].map(([name, text]) => [`guest/${name}`, text]),
  ]) as PytestBundle;
  return bundle;
}

/** Files of the guest with all that they import of it. */
function closure(entries: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const waiting = [...entries, 'pointsman_guest/__init__.py'];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    const text = textOf('guest', name);
    found.set(name, text);
    waiting.push(...importedBy(text));
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function importedBy(text: string): string[] {
  const modules = [...text.matchAll(/^[ \t]*from (?:\.|pointsman_guest\.)(\w+) import/gm)].map(([, module]) => module!);
  const siblings = [...text.matchAll(/^[ \t]*from (?:\.|pointsman_guest) import \(?([\w, ]+)\)?/gm)];
  const names = siblings.flatMap(([, list]) => list!.split(',').map((name) => name.trim()));
  return [...modules, ...names].filter((name) => name !== '').map((name) => `pointsman_guest/${name}.py`);
}

function textOf(folder: string, name: string): string {
  return readFileSync(join(__dirname, folder, name), 'utf8');
}

/** What the cases of a harness may import, as its own docstring tells it: models that write cases are shown this text. */
export function casesApi(): string {
  const source = readFileSync(join(__dirname, 'guest', 'pointsman_cases.py'), 'utf8');
  return /^"""([\s\S]*?)"""/.exec(source)![1]!.trim();
}
