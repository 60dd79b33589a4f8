import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openPython } from '@pointsman/python';
import type { CaseOutcome, FunctionInstance } from '../../../src/contract';
import { pytestBundle } from '../../../src/environments/harness/pytest-bundle';
import { imageOf } from '../../../src/environments/problem-environment';
import { BASE_IMAGE } from '../../../src/machine/image';
import { readRow } from '../../../src/problems/readers';
import { rolloutProblem } from '../../../src/problems/tables/rollout-problem';
import { swebenchRow } from '../../../src/problems/tables/swebench-row';
import { inFull } from '../../support/counts';
import { Bench } from '../bench';

const run = promisify(execFile);

/** A package with one function that uses another file, and a copy of nothing. */
const FILES = {
  'shop/__init__.py': '',
  'shop/money.py': 'RATES = {"EUR": 1.0, "CHF": 0.95}\n\n\ndef rate(currency):\n    return RATES[currency]\n',
  'shop/cart.py': `"""Carts."""
from shop.money import rate


def total(prices, currency="EUR"):
    """Sum of prices in a currency."""
    if not prices:
        return 0.0
    return round(sum(prices) * rate(currency), 2)


def after(x):
    return x
`,
};
const CASES = `from pointsman_cases import call, text_file


def case_empty(subject):
    return subject([])


def case_sum(subject):
    return subject([1, 2, 3.5]), subject((1, 2), currency="CHF")


def case_unknown(subject):
    return call(subject, [1], "XXX")


def case_file(subject):
    path = text_file("out.txt", str(subject([2, 3])))
    return path.name
`;
const returned = (name: string, value: CaseOutcome['value'], files: CaseOutcome['files'] = {}): CaseOutcome => ({
  ...{ case: name, status: 'returned', files, calls: 1, seconds: 0 },
  ...(value ? { value } : {}),
});
const float = (value: string) => ({ t: 'float', v: value }) as const;

const INSTANCE: FunctionInstance = {
  id: 'shop.cart.total',
  environment: { image: 'unset', workdir: '/testbed', source: 'pypi:shop==1.0', licence: 'MIT' },
  subject: {
    target: { module: 'shop.cart', name: 'total', kind: 'function', file: 'shop/cart.py', lines: [5, 9] },
    workdir: '/testbed',
    importRoots: ['.'],
    python: '.venv/bin/python',
  },
  slice: {
    target: { module: 'shop.cart', name: 'total', kind: 'function', file: 'shop/cart.py', lines: [5, 9] },
    items: [],
    imports: [],
    importTimeEffects: [],
    unresolved: [],
  },
  dependencies: 2,
  outOfFile: true,
  specification: { original: '', refined: '', by: 'types', argumentTypes: {}, returnTypes: [] },
  signature: 'def total(prices, currency="EUR"):\n    """Sum of prices in a currency, rounded to cents."""\n',
  reference: '',
  moduleText: FILES['shop/cart.py'],
  size: { lines: 3, tokens: 30 },
  contexts: { naive: '', full: '', sliced: '' },
  harness: {
    author: 'expert',
    context: 'sliced',
    mode: 'equivalence',
    source: CASES,
    cases: ['case_empty', 'case_sum', 'case_unknown', 'case_file'],
  },
  expected: [
    returned('case_empty', float('0x0.0p+0')),
    // A little off: floats are compared with a tolerance.
    returned('case_sum', { t: 'tuple', v: [float('0x1.a000000000001p+2'), float('0x1.6ccccccccccccp+1')] }),
    returned('case_unknown', {
      t: 'object',
      type: 'call',
      state: [['raised', { t: 'exception', type: 'KeyError', v: [] }]],
    }),
    returned('case_file', { t: 'str', v: 'out.txt' }, { 'out.txt': '5.0' }),
  ],
  quality: {
    ...{ cases: 4, repeats: 5, flaky: [], branchCoverage: 1, lineCoverage: 1, missedLines: [], mutants: [] },
    ...{ mutationScore: null, oracle: 1, stub: 0 },
  },
};
const { moduleText } = INSTANCE;

describe('an instance as a problem for agents', () => {
  const bench = new Bench();
  const folder = mkdtempSync(join(tmpdir(), 'rollout-problem-'));
  let image: string;

  beforeAll(async () => {
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const made = await bench.run(bench.activities.buildProblemImage, {
      owner: bench.owner,
      input: {
        ...{
          before: `dir:${folder}`,
          after: `dir:${folder}`,
          statement: 'x',
          test: 'true',
          parser: { kind: 'pytest' },
        },
        ...{ timeoutSeconds: 60, base: BASE_IMAGE, workdir: '/testbed', runs: 2 },
        // A copy beside the repository, as an install that is not editable leaves one.
        setup: [
          'python3 -m venv .venv && .venv/bin/pip install -q pytest && cp -r shop .venv/lib/python3*/site-packages/',
        ],
      },
    });
    image = made.image;
  }, 300_000);

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Files of an image that hold a text, as a container of it sees them. */
  async function filesWith(name: string, text: string): Promise<string[]> {
    const command = `docker run --rm --network none --entrypoint grep ${name} -rlF`;
    const [docker, ...args] = [...command.split(' '), text, '/testbed', '/usr/lib', '/root', '/home', '/opt'];
    const { stdout } = await run(docker!, args).catch((error: { code: number; stdout: string }) => {
      // `grep` says so when it finds nothing.
      if (error.code === 1) return error;
      throw error;
    });
    return stdout.split('\n').filter((line) => line.endsWith('.py') || line.endsWith('.pyc'));
  }

  it('is resolved by the reference, by nothing else, and shows nobody the reference', async () => {
    const problem = rolloutProblem(await openPython(), INSTANCE, { moduleText, bundle: pytestBundle(), image });
    expect(problem.statement).toContain('rounded to cents');
    const [stub] = problem.preparation!.files;
    expect(stub!.content).toContain('rounded to cents."""\n    raise NotImplementedError\n\n\ndef after(x):');
    expect(JSON.stringify([problem.statement, problem.preparation])).not.toContain('sum(prices)');
    const { ref } = await bench.run(bench.activities.loadProblem, { problem });
    expect(await bench.check(ref)).toMatchObject({
      ...{ oracle: 1, noop: 0, admitted: true, reasons: [], flaky: [] },
      failToPass: problem.tests.failToPass,
    });
    expect(await filesWith(imageOf(problem), 'round(sum(prices)')).toEqual([]);
    expect(await filesWith(image, 'round(sum(prices)')).toHaveLength(2);
    const wrong = problem.goldPatch!.replace(
      '+    return round(sum(prices) * rate(currency), 2)',
      '+    return sum(prices)',
    );
    const graded = await bench.grade(ref, wrong);
    expect(graded).toMatchObject({ resolved: false, verdict: 'graded' });
    expect(graded.failToPass.missing).toEqual(
      ['case_sum', 'case_unknown', 'case_file'].map(
        (name) => `pointsman_harness/test_equivalence.py::test_case[${name}]`,
      ),
    );
    const dead = problem.goldPatch!.replace(
      '+    if not prices:',
      '+    __import__("os")._exit(0)\n+    if not prices:',
    );
    const counted = dead.replace(
      /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@/m,
      (_, a, b, c, d) => `@@ -${a},${b} +${c},${Number(d) + 1} @@`,
    );
    expect(await bench.grade(ref, counted)).toMatchObject({ resolved: false, failToPass: { passed: 0 } });
  }, 300_000);

  inFull(
    'is a row in the shape of SWE-bench, whose patches are those of the problem',
    async () => {
      const options = { moduleText, bundle: pytestBundle(), image };
      const python = await openPython();
      const row = swebenchRow(python, INSTANCE, options);
      expect(row).toMatchObject({ repo: 'pypi/shop', version: '1.0', base_commit: '', PASS_TO_PASS: '[]' });
      expect(swebenchRow(python, INSTANCE, options)).toEqual(row);
      // What the row says is enough: read back it is the problem again.
      const { problem: read } = readRow(row, 1, 'swebench');
      const problem = rolloutProblem(python, INSTANCE, options);
      expect(read).toMatchObject({
        ...{ id: problem.id, image, workdir: '/testbed', statement: problem.statement, licence: 'MIT' },
        ...{ goldPatch: problem.goldPatch, preparation: { purge: INSTANCE.subject } },
      });
      expect(read.tests.timeoutSeconds).toBe(problem.tests.timeoutSeconds);
      const { ref } = await bench.run(bench.activities.loadProblem, { problem: read });
      expect(await bench.grade(ref, read.goldPatch!)).toMatchObject({ resolved: true, verdict: 'graded' });
      expect(await filesWith(imageOf(read), 'round(sum(prices)')).toEqual([]);
    },
    300_000,
  );
});
