import fc from 'fast-check';
import type { ProsecutorMove, VerifierMove } from '../../src/contract';
import { filtersOf } from '../../src/setup/roles/filters';
import type { Seen } from '../../src/setup/roles/role';
import { chargesOf, verdictOf, verifierResult, WHOLE_RUN } from '../../src/setup/verdict';
import { evidence, seen } from './roles/sample';

const run = (command: string): VerifierMove => ({ move: 'run_tests', thought: '', command, framework: 'pytest' });
const conclude = (success = true): VerifierMove => ({ move: 'conclude', thought: '', success, hint: '' });
const classify = (test: string, kind: 'setup' | 'repository_bug'): VerifierMove => ({
  move: 'classify',
  thought: '',
  failures: [{ test, class: kind, why: 'so' }],
});
const smoke: VerifierMove = { move: 'smoke', thought: '', path: '/tmp/s.sh', content: '', command: 'bash /tmp/s.sh' };
const PASSED = '===== 3 passed in 0.1s =====';
const FAILED = 'FAILED t.py::a - assert 0\n===== 1 failed, 3 passed in 0.1s =====';
const NONE = '===== no tests ran in 0.1s =====';
const result = (...moves: Seen<VerifierMove>[]) =>
  verifierResult(
    moves,
    moves.map(({ move, observed }) =>
      'command' in move ? evidence(observed.exitCode, move.command, observed.timedOut) : null,
    ),
    'head',
  );

test('tests that pass, and a verifier that says so, are success', () => {
  const found = result(seen(run('pytest'), PASSED), seen(conclude()));
  expect(found).toMatchObject({
    success: true,
    framework: 'pytest',
    counts: { passed: 3 },
    failures: [],
    head: 'head',
  });
  expect(found.evidence?.command).toBe('pytest');
});

test.each([
  ['the verifier says no', [seen(run('pytest'), PASSED), seen(conclude(false))]],
  ['the verifier never concluded', [seen(run('pytest'), PASSED)]],
  ['nothing was run', [seen(conclude())]],
  ['no test was collected', [seen(run('pytest'), NONE, 5), seen(conclude())]],
  ['all tests were skipped', [seen(run('pytest'), '===== 3 skipped in 0.1s ====='), seen(conclude())]],
  ['a smoke test failed', [seen(smoke, '', 1), seen(conclude())]],
  [
    'a smoke test stands in for tests that were all skipped',
    [seen(run('pytest'), '== 3 skipped in 0.1s =='), seen(smoke), seen(conclude())],
  ],
  ['nobody classified a failure', [seen(run('pytest'), FAILED, 1), seen(conclude())]],
  [
    'another failure was classified',
    [seen(run('pytest'), FAILED, 1), seen(classify('t.py::b', 'repository_bug')), seen(conclude())],
  ],
  ['a failure is the set-up’s', [seen(run('pytest'), FAILED, 1), seen(classify('t.py::a', 'setup')), seen(conclude())]],
  ['the run crashed after its summary', [seen(run('pytest'), PASSED, 139), seen(conclude())]],
  ['an outage ended the run', [seen(run('pytest'), PASSED, null), seen(conclude())]],
  [
    'a narrow run came after one that failed',
    [seen(run('pytest'), FAILED, 1), seen(run('pytest -k b'), '== 1 passed in 0.1s =='), seen(conclude())],
  ],
])('no success: %s', (_, moves) => {
  expect(result(...(moves as Seen<VerifierMove>[])).success).toBe(false);
});

test('failures that are all somebody else’s are no obstacle, also of a run as a whole', () => {
  const classified = seen(classify('t.py::a', 'repository_bug'));
  expect(result(seen(run('pytest'), FAILED, 1), classified, seen(conclude())).success).toBe(true);
  const coverage = seen(classify(WHOLE_RUN, 'repository_bug'));
  expect(result(seen(run('pytest'), PASSED, 2), coverage, seen(conclude())).success).toBe(true);
});

test('a smoke test counts only where there is no test', () => {
  // What the verdict rests on is what has to hold again in a rebuilt environment.
  for (const before of [[seen(run('pytest'), NONE, 5)], []])
    expect(result(...before, seen(smoke), seen(conclude()))).toMatchObject({
      success: true,
      smoke: true,
      evidence: { command: 'bash /tmp/s.sh' },
    });
  expect(result(seen(run('pytest'), PASSED), seen(smoke), seen(conclude()))).toMatchObject({
    success: true,
    smoke: false,
  });
});

describe('a family', () => {
  const CLIENT = '/family/client';
  const main = (command = 'cd /repo && pytest', output = '== 100 passed in 1s ==', exitCode = 0) =>
    seen(run(command), output, exitCode);
  const client = (output: string, exitCode = 0, command = `cd ${CLIENT} && pytest`) =>
    seen(run(command), output, exitCode);
  const family = (...moves: Seen<VerifierMove>[]) =>
    verifierResult(
      moves,
      moves.map(({ move, observed }) => ('command' in move ? evidence(observed.exitCode, move.command) : null)),
      'head',
      [CLIENT],
    );

  test('a smaller repository is held to its own run, and that is what is shown', () => {
    const found = family(main(), client(FAILED, 1), seen(conclude()));
    expect(found).toMatchObject({ success: false, counts: { failed: 1, passed: 3 }, failures: [{ class: 'setup' }] });
    expect(found.evidence?.command).toBe(`cd ${CLIENT} && pytest`);
    const classified = seen(classify('t.py::a', 'repository_bug'));
    const fine = family(main(), client(FAILED, 1), classified, seen(conclude()));
    expect(fine).toMatchObject({ success: true, counts: { passed: 100 } });
  });

  test.each([
    ['named without a directory of its own', client(FAILED, 1, `python3 -m pytest ${CLIENT}/tests`)],
    ['that crashed', client('Segmentation fault', 139)],
    ['below its directory', client(FAILED, 1, `cd '${CLIENT}/python' && pytest`)],
    ['with variables set before', client(FAILED, 1, `export A=/repo; cd "${CLIENT}"; pytest`)],
  ])('a run of the smaller one %s counts as its own', (_, of) => {
    expect(family(main(), of, seen(conclude())).success).toBe(false);
    expect(family(of, main(), seen(conclude())).success).toBe(false);
  });

  test('of each repository the run with most tests counts, wherever below it the others ran', () => {
    const lost = main('cd /repo/sub && pytest', 'ERROR test_a.py - ImportError\n== 1 error in 1s ==', 2);
    expect(family(lost, main(), client(FAILED, 1), client('== 9 passed in 1s =='), seen(conclude())).success).toBe(
      true,
    );
    const about = main(`cd /repo && PYTHONPATH=${CLIENT}/src pytest`);
    expect(family(about, client(FAILED, 1), seen(conclude())).success).toBe(false);
    expect(family(main(), main('cd /family/client-too && pytest', '', 1), seen(conclude())).success).toBe(true);
  });

  test('one without tests needs a smoke test, or a word on its run', () => {
    expect(family(main(), client(NONE, 5), seen(conclude())).success).toBe(false);
    expect(family(main(), client(NONE, 5), seen(smoke), seen(conclude()))).toMatchObject({
      ...{ success: true, smoke: false, counts: { passed: 100 } },
    });
  });
});

test('a run that left tests out says so in the hint', () => {
  expect(result(seen(run('pytest -k fast'), PASSED), seen(conclude())).hint).toContain('filtered: -k');
});

test.each([
  ['python -m pytest -q tests', []],
  ['python -m pytest -m "not slow"', ['-m']],
  ['pytest --ignore=tests/x --deselect a::b', ['--deselect', '--ignore']],
  ['go test -v ./...', []],
  ['go test -run TestA ./...', ['-run']],
  ['cargo test --workspace', []],
  ['cargo test -- --skip slow', ['--skip']],
  ['ctest --output-on-failure', []],
  ['ctest -E slow', ['-E']],
  ['mvn -o -B -fae test', []],
  ['mvn -o -B -fae -Dmaven.test.failure.ignore=true test', []],
  ['mvn test -Dtest=A', ['-Dtest']],
  ['mvn -o -B -pl a,b test', ['-pl']],
  ['cd /repo && /venv/bin/python -m pytest -rfE --color=no --continue-on-collection-errors --maxfail=0', []],
  ["pytest -p no:cacheprovider --tb short --cov acorn -n 4 -m 'not slow' tests", ['-m']],
  ['pytest -kfoo', ['-k']],
  ['pytest -x', ['-x']],
  ['pytest -qx', ['-x']],
  ['pytest -rx', []],
  ['pytest --maxfail=1', ['--maxfail']],
  ['pytest --maxfail 1 tests', ['--maxfail']],
  ['pytest tests/test_a.py', ['tests/test_a.py']],
  ['pytest tests/unit', ['tests/unit']],
  ['pytest pkg/tests', []],
  ['pytest tests/integration', ['tests/integration']],
  ['poetry run pytest tests', []],
  ['pytest "tests/test_a.py::test_x[a b]"', ['tests/test_a.py::test_x[a b]']],
  ['python -m unittest discover -s tests -t .', []],
  ['python3 -m unittest tests.test_a', ['tests.test_a']],
  ['go test ./pkg/a', ['./pkg/a']],
  ['go test -run=X ./...', ['-run']],
  ['go test -v -short -count 1 ./...', ['-short']],
  ['cargo test foo', ['foo']],
  ['cargo test -p foo', ['-p']],
  ['cargo test --offline --no-fail-fast --workspace --features "a b"', []],
  ['cargo test -- --nocapture --test-threads 1', []],
  ['cargo nextest run', []],
  ['ctest -R foo', ['-R']],
  ['ctest --tests-regex foo', ['-R']],
  ['ctest -LE slow -j 4', ['-LE']],
  ['meson test -C build foo', ['foo']],
  ['meson test --no-rebuild --print-errorlogs', []],
  ['make check TESTS=a', ['TESTS=']],
  ['make -j4 check', []],
  ['npx jest foo', ['foo']],
  ['npx jest --testPathPattern=foo', ['--testPathPattern']],
  ['npx jest --config jest.config.js --ci', []],
  ['npx vitest run --reporter verbose', []],
  ['npx mocha test/a.js', ['test/a.js']],
  ["npx mocha -r ts-node/register --timeout 5000 'test/**/*.js'", []],
  ['npx mocha -g x', ['--grep']],
  ['node --test --test-name-pattern=x', ['--test-name-pattern']],
  ['node --test test/', []],
  ['./gradlew --offline test --tests Foo', ['--tests']],
  ['gradle build -x test', ['--exclude-task']],
  [
    "{ sh ./gradlew --offline --continue test; ended=$?; find . -path '*/test-results/*.xml' -exec grep -h '<testsuite ' {} +; (exit $ended); }",
    [],
  ],
  [
    'd=$(find . -maxdepth 3 -name CTestTestfile.cmake | sort | head -n 1) && [ -n "$d" ] && cd "$(dirname "$d")" && ctest --output-on-failure',
    [],
  ],
])('filters of %s', (command, expected) => {
  expect(filtersOf(command, '')).toEqual(expected);
});

test('a run that stopped early or left out tests by its configuration is noticed in its output', () => {
  expect(filtersOf('pytest', '!!!! stopping after 1 failures !!!!')).toEqual(['stopped after the first failures']);
  expect(filtersOf('pytest', '== 1 passed, 3 deselected in 1s ==')).toEqual(['tests deselected']);
});

const accuse = (command: string): ProsecutorMove => ({
  move: 'charge',
  thought: '',
  kind: 'dependency',
  claim: 'x',
  declared: '',
  command,
});

test('a charge whose own command succeeds is none, and neither is one that could not be run', () => {
  const moves = [seen(accuse('a')), seen(accuse('b'), '', 1), seen(accuse('c'), '', 1)];
  expect(
    chargesOf(moves, [evidence(0, 'a'), evidence(1, 'b'), null]).map(({ id, evidence: { command } }) => [id, command]),
  ).toEqual([[1, 'b']]);
});

test('the verdict: any upheld charge is guilty; what is open or went wrong is an error and never a pass', () => {
  const charges = fc.uniqueArray(fc.integer({ min: 1, max: 6 })).map((ids) => ids.map((id) => ({ id })));
  const findings = fc.array(fc.record({ charge: fc.integer({ min: 1, max: 6 }), upheld: fc.boolean() }));
  fc.assert(
    fc.property(charges, findings, fc.option(fc.string(), { nil: undefined }), (brought, found, outage) => {
      const { verdict } = verdictOf(brought, found, outage);
      const relevant = found.filter(({ charge }) => brought.some(({ id }) => id === charge));
      const open = brought.some(({ id }) => !relevant.some(({ charge }) => charge === id));
      if (relevant.some(({ upheld }) => upheld)) expect(verdict).toBe('guilty');
      else expect(verdict).toBe(open || outage !== undefined ? 'error' : 'not_guilty');
    }),
  );
});
