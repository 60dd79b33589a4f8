import { randomUUID } from 'node:crypto';
import { openPython } from '@pointsman/python';
import type { Harness } from '../../../src/contract';
import { measureHarness, validateHarness } from '../../../src/environments/harness/measure';
import { openHarnessRoom } from '../../../src/environments/harness/session';
import { mutantsOf } from '../../../src/problems/mutation';
import { openSandboxes } from '../../../src/sandbox';
import { FULL, minutes } from '../../support/counts';
import { harnessOf, PARTITION_ALL } from './cases';
import { type Bench, GROUPBY, toolzBench } from './groupby';

/**
 * Mutants of several functions, judged as any candidate is. Those that lived are compared with the function once more, by a
 * few lines of Python that know nothing of our guest nor of our comparison: on the same inputs they must be the same.
 */
const FUNCTIONS: Readonly<Record<string, { readonly module: string; readonly harness: Harness }>> = {
  groupby: { module: 'toolz.itertoolz', harness: GROUPBY },
  partition_all: { module: 'toolz.itertoolz', harness: PARTITION_ALL },
  interleave: {
    module: 'toolz.itertoolz',
    harness: harnessOf({
      two: 'return list(subject([[1, 2], [3, 4]]))',
      uneven: 'return list(subject(["CHR", "AE", ""]))',
      none: 'return list(subject([]))',
    }),
  },
  unique: {
    module: 'toolz.itertoolz',
    harness: harnessOf({
      plain: 'return list(subject((1, 2, 1, 3, 2)))',
      by_key: 'return list(subject(["cat", "mouse", "dog", "hen"], key=len))',
      by_name: 'return list(subject([{"a": 1}, {"a": 2}, {"a": 1}], key=lambda d: d["a"]))',
    }),
  },
  topk: {
    module: 'toolz.itertoolz',
    harness: harnessOf({
      plain: 'return subject(2, [1, 100, 10, 1000])',
      by_key: 'return subject(2, ["Alice", "Bob", "Charlie"], key=len)',
      by_item: 'return subject(1, [{"a": 3}, {"a": 7}, {"a": 1}], "a")',
    }),
  },
  join: {
    module: 'toolz.itertoolz',
    harness: harnessOf({
      inner: 'return sorted(subject(0, [(1, "a"), (2, "b")], 1, [("x", 1), ("y", 2), ("z", 3)]))',
      outer:
        'return sorted(subject(0, [(1, "a"), (2, "b")], 1, [("x", 1), ("z", 3)], left_default=(0, ""), right_default=("", 0)))',
      left: 'return list(subject(len, ["a", "bb"], abs, [2, 3], left_default=None))',
    }),
  },
  reduceby: {
    module: 'toolz.itertoolz',
    harness: harnessOf({
      plain: 'return subject(lambda n: n % 2 == 0, lambda a, b: a + b, [1, 2, 3, 4, 5], 0)',
      no_start: 'return subject(lambda n: n % 2 == 0, lambda a, b: a * b, [1, 2, 3, 4, 5])',
      by_item:
        'return subject("k", lambda a, b: a + b["v"], [{"k": 1, "v": 2}, {"k": 1, "v": 3}, {"k": 2, "v": 4}], 10)',
      factory: 'return subject(lambda n: n % 3, lambda s, n: s | {n}, range(9), set)',
    }),
  },
  merge_with: {
    module: 'toolz.dicttoolz',
    harness: harnessOf({
      sum: 'return subject(sum, {1: 1, 2: 2}, {1: 10, 2: 20})',
      list: 'return subject(sum, [{1: 1}, {2: 2}, {1: 5}])',
      factory: 'import collections\nreturn subject(len, {"a": 1}, {"a": 2}, factory=collections.OrderedDict)',
      wrong: 'return call(subject, sum, {1: 1}, other=2)',
    }),
  },
  update_in: {
    module: 'toolz.dicttoolz',
    harness: harnessOf({
      deep: 'return call(subject, {"x": {"a": 1}, "y": 2}, ["x", "a"], lambda v: v + 1)',
      missing: 'return call(subject, {}, [1, 2, 3], str, default="bar")',
      mixed: 'return call(subject, {1: "foo"}, [2, 3, 4], lambda v: v * 2, 1)',
    }),
  },
};

const INDEPENDENT = `
import importlib.util, json, sys
def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
def spelled(value):
    return list(value) if hasattr(value, "__next__") else value
def call(function, *args, **kwargs):
    before = repr(args)
    try:
        said = repr(spelled(function(*args, **kwargs)))
    except Exception as error:
        said = type(error).__name__
    return said, repr(args) == before
def come_to(module, asked):
    space = {}
    exec(asked["source"].replace("from pointsman_cases import call", ""), space)
    space["call"] = call
    return [repr(spelled(space[name](getattr(module, asked["function"])))) for name in asked["cases"]]
sys.path.insert(0, "/repo")
asked = json.load(open("/var/tmp/asked.json"))
package = asked["module"].split(".")[0]
mine = come_to(load(asked["file"], asked["module"]), asked)
wrong = []
for at, source in enumerate(asked["mutants"]):
    with open("/tmp/mutant.py", "w") as file:
        file.write(source)
    if come_to(load("/tmp/mutant.py", package + ".mutant%d" % at), asked) != mine:
        wrong.append(at)
print(json.dumps(wrong))
`;

(FULL ? describe : describe.skip)('two hundred mutants', () => {
  const sandboxes = openSandboxes('test');
  const deps = { sandboxes };
  const owner = { workflowId: `test/mutants/${randomUUID()}`, firstRunId: randomUUID() };
  const { signal } = new AbortController();
  const count = { all: 0, lived: 0 };

  afterAll(async () => {
    console.log(`${count.all} mutants, of which ${count.lived} lived and do the same on every input`);
    await sandboxes.removeAll(owner.firstRunId);
  });

  test.each(Object.entries(FUNCTIONS))(
    'of %s: none passes that does anything else',
    async (name, { module, harness }) => {
      const { bench, module: syntax } = await toolzBench(deps, owner, name, { secondsPerCase: 3 }, module);
      const valid = await validateHarness(deps, bench, harness, 2, signal);
      expect(valid).toMatchObject({ valid: true, flaky: [] });
      const mutants = mutantsOf(await openPython(), syntax, bench.subject.target, { max: 60, seed: 0 });
      const { quality } = await measureHarness(deps, bench, valid, mutants, signal);
      const lived = mutants.filter((_, at) => quality.mutants[at]!.killedBy === null);
      count.all += mutants.length;
      count.lived += lived.length;
      console.log(
        lived
          .map(({ operator, line, before, after }) => `${name}:${line} ${operator}: ${before} => ${after}`)
          .join('\n'),
      );
      expect(await different(bench, valid.harness, lived)).toEqual([]);
      expect(quality.oracle).toBe(1);
    },
    minutes(1, 15),
  );

  test('they were two hundred', () => {
    expect(count.all).toBeGreaterThanOrEqual(200);
  });

  async function different(
    { subject, image, profile }: Bench['bench'],
    harness: Harness,
    lived: readonly { readonly source: string; readonly after: string }[],
  ): Promise<string[]> {
    const spec = { owner, role: 'independent', image, profile, python: subject.python };
    return openHarnessRoom(deps, spec, signal, async ({ sandbox }) => {
      const { module, name, file } = subject.target;
      const asked = {
        ...harness,
        module,
        function: name,
        file: `/repo/${file}`,
        mutants: lived.map((each) => each.source),
      };
      await sandbox.write([
        { path: '/var/tmp/asked.json', bytes: Buffer.from(JSON.stringify(asked)) },
        { path: '/var/tmp/independent.py', bytes: Buffer.from(INDEPENDENT) },
      ]);
      const done = await sandbox.exec({ command: 'python3 /var/tmp/independent.py', timeoutMs: 120_000 });
      expect(done.stderr.toString('utf8')).toBe('');
      const wrong = JSON.parse(done.stdout.toString('utf8')) as number[];
      return wrong.map((at) => lived[at]!.after);
    });
  }
});
