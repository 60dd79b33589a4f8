import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  describeSlice,
  findFunction,
  indexRepository,
  openPython,
  sliceSyntax,
  standaloneModule,
} from '@pointsman/python';
import { pythonFiles } from '../files';
import { type RecordedSlice, recordedPackages, unpacked } from './recorded';

const packages = recordedPackages();
const targets = packages.flatMap((each) => each.targets.map((target) => [target.qualname, each, target] as const));

/** Calls a function by its dotted name with each input, in a process that finds its package in one folder alone. */
const CALL = `
import collections, copy, datetime, decimal, fractions, importlib, json, math, os, pathlib, re, sys, types
root, qualname, inputs = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
sys.path.insert(0, root)
sys.dont_write_bytecode = True
module, _, name = qualname.rpartition('.')
function = getattr(importlib.import_module(module), name)
assert importlib.import_module(module).__file__.startswith(root)
def shown(value, depth=0):
    if hasattr(value, '__next__'):
        value = ['iterator'] + [shown(each, depth + 1) for each in value]
    return re.sub(r' at 0x[0-9a-f]+', '', repr(value))
results = []
for text in inputs:
    args, kwargs = eval(text, {**globals(), 'namespace': types.SimpleNamespace})
    try:
        results.append(shown(function(*args, **kwargs)))
    except Exception as error:
        results.append(f'{type(error).__name__}: {error}')
    results.append(shown((args, kwargs)))
json.dump(results, sys.stdout)
`;

function results(root: string, { qualname, sample_inputs: inputs }: RecordedSlice): string[] {
  // Values that only show what they were, and inputs that were cut when they were written down.
  const usable = inputs.filter((each) => !/<[\w-]+ /.test(each) && each.endsWith(')'));
  if (usable.length === 0) return [];
  const answer = execFileSync('python3', ['-I', '-c', CALL, root, qualname, JSON.stringify(usable)], {
    encoding: 'utf8',
  });
  return JSON.parse(answer) as string[];
}

(targets.length > 0 ? describe : describe.skip)('recorded slices (they stand beside the checkout)', () => {
  const work = mkdtempSync(join(tmpdir(), 'pointsman-slices-'));
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test.each(targets)(
    '%s',
    async (qualname, { source, import_root: root }, target) => {
      const folder = unpacked(source.name, source.version);
      const index = indexRepository(await openPython(), pythonFiles(folder));
      const syntax = sliceSyntax(index, findFunction(index, qualname)!);
      const slice = describeSlice(syntax);

      // Recorded files count from where they are imported.
      const within = (file: string) => (root === '.' ? file : file.slice(root.length + 1));
      const facts = slice.items.map(({ module, name, file, lines, outOfFile }) =>
        JSON.stringify([module, name, within(file), lines, outOfFile]),
      );
      const expected = target.slice.map(({ module, name, file, lines, out_of_file: out }) =>
        JSON.stringify([module, name, file, lines, out]),
      );
      expect(facts.toSorted()).toEqual(expected.toSorted());
      expect(slice.items.at(-1)).toMatchObject({ lines: slice.target.lines });
      const effects = slice.importTimeEffects.flatMap(({ file, lines: [first, last] }) =>
        Array.from({ length: last - first + 1 }, (_, at) => `${within(file)}:${first + at}`),
      );
      const recorded = target.import_time_effects.flatMap((each) => {
        const [, file, first, last] = /^(\S+):(\d+)(?:-(\d+))?/.exec(each)!;
        const lines = Number(last ?? first) - Number(first) + 1;
        return Array.from({ length: lines }, (_, at) => `${file}:${Number(first) + at}`);
      });
      expect(effects).toEqual(recorded);

      const alone = join(work, qualname);
      for (const { path, text } of standaloneModule(index, syntax)) {
        mkdirSync(dirname(join(alone, path)), { recursive: true });
        writeFileSync(join(alone, path), text);
      }
      expect(results(alone, target)).toEqual(results(join(folder, root), target));
    },
    180_000,
  );
});
