import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceSpec, type SetupAction } from '../../../src/contract';
import { attribute } from '../../../src/setup/loop/attribution';
import { lineOf, setEnvCommand, strict } from '../../../src/setup/loop/commands';
import { onlyReads, riskRules } from '../../../src/setup/loop/frame-policy';
import { Gate } from '../../../src/setup/loop/gate';
import { dockerfile, installScript, recipeOf, scriptSeconds } from '../../../src/setup/loop/recipe';
import { completeService, KNOWN_SERVICES, serviceTrouble } from '../../../src/setup/loop/services';
import type { SeenAction } from '../../../src/setup/roles/role';

const bash = (text: string, env: NodeJS.ProcessEnv = {}) =>
  execFileSync('bash', ['-c', text], { encoding: 'utf8', env: { ...process.env, ...env } });

describe('commands before which a frame is taken', () => {
  test.each([
    ['apt-get update && apt-get install -y gcc', ['system-packages']],
    ['DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends install make', ['system-packages']],
    ['curl -sSf URL | sh', ['remote-script']],
    ['bash <(curl -s URL)', ['remote-script']],
    ['rm -rf build', ['recursive-removal']],
    ['find . -name x -delete', ['recursive-removal']],
    ['pip install -U setuptools', ['interpreter']],
    ['pyenv install 3.8', ['toolchain']],
    ['python3.13 -m venv --clear /venv', ['interpreter']],
    ['python3 -m venv /venv', []],
    ['echo x > /etc/pip.conf', ['system-files']],
    ['pip install --force-reinstall numpy', ['downgrade']],
    ['pip install -e .', []],
    ['pytest -q', []],
    ['rm one.txt', []],
  ])('%s', (command, rules) => expect(riskRules(command)).toEqual(rules));
});

describe('commands that only read', () => {
  test.each([
    'ls -la',
    'cat a | head -3',
    'pip list 2>/dev/null | grep x',
    'git log -3',
    'python --version',
    'sed -n 1,5p a',
    'git branch -a',
    'git tag --list',
    'go env GOFLAGS',
    'ldconfig -p | grep ssl',
  ])('%s', (command) => expect(onlyReads(command)).toBe(true));
  test.each([
    'ls > a',
    'cat a; touch b',
    'sed -i s/a/b/ c',
    'echo $(touch a)',
    'find . -delete',
    'env X=1 make',
    'python x.py',
    'sort -o a a',
    'xargs rm',
    // The next command begins in another directory.
    'cd src && ls',
    'git tag v1.2.3',
    'git branch topic',
    'git diff --output=a.patch',
    'go env -w GOFLAGS=-mod=mod',
    'go list -deps -test ./...',
    'ldconfig',
    'sed -n -i p a',
    "sed -n '/x/w b' a",
    'cat a & make install',
  ])('%s may change something', (command) => expect(onlyReads(command)).toBe(false));
});

describe('set_env', () => {
  const set = (value: string) => setEnvCommand({ action: 'set_env', thought: '', key: 'K', value });
  test.each([
    ['plain', 'plain'],
    ['$BASE/bin:${BASE}', '/b/bin:/b'],
    ['$(touch /tmp/x) `id`', '$(touch /tmp/x) `id`'],
    ['a "quoted" \\ word', 'a "quoted" \\ word'],
    ['$BASEX', ''],
    ['cost $5 {x}', 'cost $5 {x}'],
  ])('%s', (value, expected) => {
    expect(bash(`${set(value)} > /dev/null; printf %s "$K"`, { BASE: '/b' })).toBe(expected);
  });
});

test('a failure inside of a pipe is a failure', () => {
  expect(() => bash(strict('false | head -1'))).toThrow();
});

describe('a proof that a verify passed', () => {
  test('holds for that state only', () => {
    const gate = new Gate();
    expect(gate.verified).toBeNull();
    const proof = gate.passed();
    expect(gate.verified).toBe(proof);
    gate.changed();
    expect(gate.verified).toBeNull();
  });

  test('is taken back by a verify that fails', () => {
    const gate = new Gate();
    gate.passed();
    gate.failed();
    expect(gate.verified).toBeNull();
  });
});

describe('attribution', () => {
  const run = (exitCode: number, output: string, passed?: number, failed = 0) => ({
    exitCode,
    output,
    counts: passed === undefined ? null : { collected: passed + failed, passed, failed, skipped: 0, errors: 0 },
  });
  const missing = "ModuleNotFoundError: No module named 'yaml'";

  test('the failed command passing is success, whatever the trial said', () => {
    expect(attribute(run(1, missing), run(0, 'ok')).outcome).toBe('success');
  });

  test('the same error is failure, although the trial ended well', () => {
    expect(attribute(run(1, missing), run(1, `more words\n${missing}`))).toMatchObject({ outcome: 'failure' });
  });

  test('another error in its place cannot be told', () => {
    const other = attribute(run(1, missing), run(1, "ModuleNotFoundError: No module named 'attr'"));
    expect(other).toMatchObject({ outcome: 'neutral' });
    expect(other.before).toContain('yaml');
    expect(other.after).toContain('attr');
  });

  test.each([
    [
      'a package of CMake',
      (name: string) =>
        `CMake Error at CMakeLists.txt:5 (find_package):\n  By not providing "Find${name}.cmake" in CMAKE_MODULE_PATH this project has\n  asked CMake to find it\n`,
    ],
    [
      'a library of CMake',
      (name: string) =>
        `CMake Error at /usr/share/cmake-3.25/Modules/FindPackageHandleStandardArgs.cmake:230 (message):\n  Could NOT find ${name} (missing: ${name}_LIBRARY)\n`,
    ],
    [
      'a package of apt',
      (name: string) =>
        `The following packages have unmet dependencies:\n lib${name}-dev : Depends: lib${name} (= 1)\n`,
    ],
    [
      'data of NLTK',
      (name: string) => `LookupError: \n**********\n  Resource ${name} not found.\n  Please use the NLTK Downloader\n`,
    ],
  ])('another subject below the same heading is another error: %s', (_, missed) => {
    const [before, after] = [missed('first'), missed('second')];
    expect(attribute(run(1, before), run(1, after)).outcome).toBe('neutral');
    expect(attribute(run(1, before), run(1, before)).outcome).toBe('failure');
  });

  test.each([
    ['another first error', run(1, missing), run(1, "ModuleNotFoundError: No module named 'attr'"), true],
    [
      'more tests, of which more fail with the same words',
      run(1, 'E assert 1', 10, 1),
      run(1, 'E assert 1', 500, 20),
      true,
    ],
    ['the same error', run(1, missing), run(1, missing), false],
    ['fewer tests', run(1, 'E assert 1', 10, 1), run(1, 'E assert 2', 9, 1), false],
    ['nobody knows what, cut off', run(1, missing), { ...run(1, 'something else'), exitCode: null }, false],
    ['no test any more', run(1, 'E assert 1', 0, 4), run(1, 'no such file'), false],
  ])('a command that comes to %s: forward or not', (_, before, after, forward) => {
    expect(attribute(before, after)).toMatchObject({ forward, ...(forward ? { outcome: 'neutral' } : {}) });
  });

  test('more tests passing is success, fewer is failure', () => {
    expect(attribute(run(1, 'E assert 1', 3, 4), run(1, 'E assert 2', 6, 1)).outcome).toBe('success');
    expect(attribute(run(1, 'E assert 1', 3, 4), run(1, 'E assert 2', 1, 6)).outcome).toBe('failure');
    expect(attribute(run(1, missing), run(1, 'E assert 2', 6, 1)).outcome).toBe('success');
  });

  describe('that ends with 0', () => {
    const tests = (exitCode: number, passed: number, failed: number, skipped = 0, errors = 0) => ({
      ...{ exitCode, output: exitCode === 0 ? '' : 'E assert 1' },
      counts: { collected: passed + failed + skipped + errors, passed, failed, skipped, errors },
    });
    const untold = run(0, '');
    const listed = run(0, 'test_a.py::test_one\n\n102 tests collected in 0.05s');

    test.each([
      ['the failures were mended', tests(1, 100, 2), tests(0, 102, 0), 'success'],
      ['tests could be collected again', tests(2, 0, 0, 0, 1), tests(0, 102, 0), 'success'],
      ['most were mended, and one is skipped now', tests(1, 0, 10), tests(0, 9, 0, 1), 'success'],
      ['all passed before too, and something beside them was wrong', tests(1, 100, 0), tests(0, 100, 0), 'success'],
      ['nothing ran before, and tests pass now', run(1, missing), tests(0, 3, 0), 'success'],
      ['nothing was counted before or after', run(1, missing), untold, 'success'],
      ['most tests are left out', tests(1, 100, 2), tests(0, 1, 0), 'failure'],
      ['none passes any more', tests(1, 100, 2), tests(0, 0, 0, 102), 'failure'],
      ['tests are only listed', tests(1, 100, 2), listed, 'failure'],
      ['tests are only listed, and none passed before', tests(1, 0, 2), listed, 'neutral'],
      ['tests are only listed, and nothing was counted before', run(1, missing), listed, 'neutral'],
      ['what failed is skipped now', tests(1, 0, 10), tests(0, 0, 0, 10), 'neutral'],
      ['the two that failed are left out', tests(1, 100, 2), tests(0, 100, 0), 'neutral'],
      ['one is mended, and fifty are left out', tests(1, 50, 52), tests(0, 51, 0), 'neutral'],
      ['nothing ran before, and there is no test now', run(1, missing), tests(0, 0, 0), 'neutral'],
      // Gradle counts its tests only where one fails.
      ['the tests are no longer counted', tests(1, 100, 2), untold, 'neutral'],
      ['it had ended with 0 before', tests(0, 3, 0), tests(0, 3, 0), 'neutral'],
    ] as const)('%s', (_, before, after, outcome) => {
      expect(attribute(before, after).outcome).toBe(outcome);
    });

    test('says what is missing where it is no success', () => {
      expect(attribute(tests(1, 100, 2), tests(0, 1, 0)).after).toBe(
        'exit code 0, with 1 test that passes (100 before)',
      );
      expect(attribute(tests(1, 100, 2), tests(0, 102, 0)).after).toBe('');
    });
  });

  test('a command that does not get so far any more is worse, whatever it says now', () => {
    expect(attribute(run(1, 'E assert 1', 0, 4), run(1, 'cd: /repo: No such file or directory')).outcome).toBe(
      'failure',
    );
    expect(attribute(run(1, missing), run(127, 'python3: command not found')).outcome).toBe('failure');
    expect(attribute(run(1, missing), run(126, 'python3: Permission denied')).outcome).toBe('failure');
    // Cut off at its deadline, it may have been further than before.
    expect(attribute(run(1, 'E assert 1', 0, 4), { ...run(0, ''), exitCode: null }).outcome).toBe('neutral');
    expect(attribute(run(127, 'tox: command not found'), run(127, 'nox: command not found')).outcome).toBe('neutral');
  });
});

describe('the script of a set-up', () => {
  const seen = (
    turn: number,
    move: SetupAction,
    exitCode: number | null,
    more: Partial<SeenAction> = {},
  ): SeenAction => ({
    turn,
    move,
    observed: { exitCode, output: '', timedOut: false },
    undone: false,
    notes: [],
    ...more,
  });
  const shell = (command: string): SetupAction => ({ action: 'shell', thought: '', command });
  const steps = [
    seen(1, shell('ls'), 0),
    seen(2, shell('export A="it\'s" && mkdir -p made && cd made'), 0),
    seen(3, shell('install that fails'), 1),
    seen(4, shell('touch undone'), 0, { undone: true }),
    seen(5, { action: 'set_env', thought: '', key: 'B', value: '$A!' }, 0),
    seen(6, { action: 'try_experience', thought: '', unit: 'u', why: '' }, 0),
    seen(7, shell("cat > note <<'STEP'\ntwo $A lines\nSTEP\necho done"), 0),
    seen(8, shell('pytest -q'), 0, { observed: { exitCode: 0, output: '3 passed in 0.1s', timedOut: false } }),
    // Maven fetches what runs the tests when it runs them.
    seen(9, shell('mvn -B test'), 1, {
      observed: { exitCode: 1, output: '[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0', timedOut: false },
    }),
    seen(10, shell('mvn -B test'), 1, {
      observed: { exitCode: 1, output: '[ERROR] Failed to execute goal: no route to host', timedOut: false },
    }),
  ];

  test('holds what stands and did something, and does it again', () => {
    const recipe = recipeOf(steps, (turn) => (turn === 6 ? ['touch trial', 'make again || touch again'] : undefined));
    expect(recipe.map(({ turn }) => turn)).toEqual([2, 5, 6, 6, 7, 9]);
    expect(recipe.at(-1)).toEqual({ turn: 9, command: 'mvn -B test', mayFail: true });
    const folder = bash('mktemp -d').trim();
    const script = installScript(recipe, folder, 'dir:/x');
    const told = bash(`${script}\npwd; printf '%s|%s' "$A" "$B"`);
    expect(told).toContain(`${folder}/made\nit's|it's!`);
    expect(readFileSync(join(folder, 'made', 'note'), 'utf8')).toBe('two $A lines\n');
    expect(bash(`ls ${folder}/made`)).toBe('again\nnote\ntrial\n');
  });

  test('goes on in the directory and with the variables of what it leaves out', () => {
    const counted = { observed: { exitCode: 1, output: '1 failed, 2 passed in 0.1s', timedOut: false } };
    const recipe = recipeOf(
      [
        seen(
          1,
          shell(
            'mkdir -p packages/core && git init -q . && git -c user.name=a -c user.email=a commit -q --allow-empty -m a',
          ),
          0,
        ),
        seen(2, shell('git tag v1.2.3'), 0),
        seen(3, shell('cd packages/core'), 0),
        seen(4, shell('export LEVEL=two && make that fails'), 2),
        seen(5, shell('cd missing && make'), 1),
        seen(6, shell('cd .. && pytest -q'), 1, counted),
        seen(7, shell('cd core && { pytest -q; }; cd "$OLDPWD"'), 1, counted),
        seen(8, shell('touch here-$LEVEL'), 0),
      ],
      () => undefined,
    );
    expect(recipe.map(({ turn }) => turn)).toEqual([1, 2, 3, 4, 5, 6, 8]);
    const folder = bash('mktemp -d').trim();
    bash(installScript(recipe, folder, 'dir:/x'));
    expect(bash(`cd ${folder} && git tag && ls packages`)).toBe('v1.2.3\ncore\nhere-two\n');
  });

  test('a trial that was kept although it ended badly does not stop the script', () => {
    const recipe = recipeOf(
      [seen(3, { action: 'try_experience', thought: '', unit: 'u', why: '' }, 1), seen(4, shell('touch later'), 0)],
      () => ['touch made; false', 'make again || touch again'],
    );
    const folder = bash('mktemp -d').trim();
    bash(installScript(recipe, folder, 'dir:/x'));
    expect(bash(`ls ${folder}`)).toBe('again\nlater\nmade\n');
  });

  test.each([
    ['touch installed && python -m pytest', '1 failed, 2 passed in 0.1s'],
    ['pip install -r requirements.txt; pytest', '1 failed, 2 passed in 0.1s'],
    [
      './configure && make && make check',
      '# TOTAL: 3\n# PASS:  2\n# SKIP:  0\n# XFAIL: 0\n# FAIL:  1\n# XPASS: 0\n# ERROR: 0',
    ],
  ])('holds what was installed for tests of which one failed: %s', (command, output) => {
    const failed = seen(1, shell(command), 1, { observed: { exitCode: 1, output, timedOut: false } });
    expect(recipeOf([failed], () => undefined)).toEqual([{ turn: 1, command, mayFail: true }]);
    const broken = seen(1, shell(command), 1);
    expect(recipeOf([broken], () => undefined)).toEqual([]);
  });

  test('a step that ends its own shell ends no other, and leaves what it made of it', () => {
    const folder = bash('mktemp -d').trim();
    const steps = [
      'export KEPT="a \'b\'\n$c" GONE=1; mkdir -p in && cd in; greet() { echo "hi $1"; }; export -f greet; (exit 3); exit 0',
      'unset GONE; cat > read; exit $?',
      'greet you > greeted; echo "${GONE-gone} $KEPT" > told; set -e; false || true',
      'cd ..; false; touch last',
    ].map((command, at) => ({ turn: at + 1, command }));
    const told = bash(`${installScript(steps, folder, 'dir:/x')}\ntype step | head -n 1`);
    expect(told).toBe('step is a function\n');
    expect(bash(`cd ${folder} && ls . in && cat in/greeted in/told`)).toBe(
      ".:\nin\nlast\n\nin:\ngreeted\nread\ntold\nhi you\ngone a 'b'\n\n",
    );
    const failing = (command: string) => () => bash(installScript([{ turn: 7, command }], folder, 'x'));
    expect(failing('exit 4')).toThrow(/step 7 failed with 4/);
    expect(failing('set -e; false; true')).toThrow(/step 7 failed with 1/);
  });

  test.each(['touch made; exit 1', 'set -e; touch made; false; touch never', 'touch made && cd /nowhere'])(
    'goes on after a step that failed when it was recorded, too: %s',
    (command) => {
      const folder = bash('mktemp -d').trim();
      const steps = [
        { turn: 1, command: `export KEPT=1; ${command}`, mayFail: true as const },
        { turn: 2, command: 'touch "later-$KEPT"' },
      ];
      bash(installScript(steps, folder, 'dir:/x'));
      expect(bash(`ls ${folder}`)).toBe('later-1\nmade\n');
    },
  );

  test('stops at the first step that fails and names it', () => {
    const script = installScript(
      [
        { turn: 4, command: 'false | true' },
        { turn: 5, command: 'touch /tmp/never' },
      ],
      '/tmp',
      's',
    );
    expect(() => execFileSync('bash', ['-c', script], { stdio: 'pipe' })).toThrow(/step 4 failed with 1/);
  });

  describe('that starts a server', () => {
    const serving = (spec: object): SetupAction => ({
      ...{ action: 'start_service', thought: '' },
      service: ServiceSpec.parse({ name: 'own', ...spec }),
    });
    const scriptOf = (folder: string, spec: object) =>
      installScript(
        recipeOf([seen(1, serving(spec), 0), seen(2, shell('touch asked; sleep 0.5; test -e up'), 0)], () => undefined),
        folder,
        'dir:/x',
      );
    const server = `trap 'sleep 0.3; echo "$SAID" > written; exit 0' TERM; touch up; while :; do sleep 0.1; done`;

    test.each([
      ['stays', 'exec bash server.sh'],
      ['goes into the background', '(setsid bash server.sh &)'],
    ])('and %s, has it up for its steps and ends it well', (_, start) => {
      const folder = bash('mktemp -d').trim();
      writeFileSync(join(folder, 'server.sh'), server);
      bash(scriptOf(folder, { start, health: 'test -e up', env: { SAID: "it's" } }));
      expect(bash(`cd ${folder} && ls && cat written`)).toBe("asked\nserver.sh\nup\nwritten\nit's\n");
    });

    test('says why it does not start', () => {
      const folder = bash('mktemp -d').trim();
      const script = scriptOf(folder, { start: 'echo no configuration; exit 4', port: 9 });
      expect(() => bash(`{ ${script}\n} >&2`)).toThrow(/ended with 4\nno configuration\nstep 1 failed with 1/);
      expect(bash(`ls ${folder}`)).toBe('');
    });
  });

  test('may take as long as its steps might, within the time of a set-up', () => {
    const script = (steps: number) =>
      installScript(
        Array.from({ length: steps }, (_, at) => ({
          ...{ turn: at + 1, command: 'sleep 900' },
          ...(at % 2 === 0 ? { mayFail: true as const } : {}),
        })),
        '/tmp',
        's',
      );
    const limits = { commandSeconds: 1800, wallClockSeconds: 7200 };
    expect([0, 1, 3, 9].map((steps) => scriptSeconds(script(steps), limits))).toEqual([1800, 1800, 5400, 7200]);
    expect(scriptSeconds(script(2), { ...limits, wallClockSeconds: 60 })).toBe(1800);
  });

  test('comes with a Dockerfile', () => {
    const env = {
      ...{ PATH: '/venv/bin:/bin', LDFLAGS: '-Wl,-rpath,$ORIGIN/lib', SAID: 'a "b" \\c' },
      ...{ LINES: 'one\ntwo', KEPT: "$'one\\ntwo'" },
    };
    const text = dockerfile({
      ...{ base: 'b:1', source: 'pypi:x==1', sha256: 'abc', workdir: '/repo' },
      ...{ given: { RUN_SLOW: '1', PATH: '/bin' }, env: { ...env, RUN_SLOW: '1' } },
      components: [{ name: 'lib', source: 'pypi:lib==2', workdir: '/family/lib' }],
      services: [completeService(ServiceSpec.parse({ name: 'redis' }))],
      lent: ['PIP_CERT'],
    });
    expect(text).toMatch(/^FROM b:1$/m);
    expect(text).toMatch(/^COPY lib\/ \/family\/lib\/$/m);
    expect(text).toMatch(/^ENV PATH="\/venv\/bin:\/bin"$/m);
    expect(text).toMatch(/^ENV LDFLAGS="-Wl,-rpath,\\\$ORIGIN\/lib"$/m);
    expect(text).toMatch(/^ENV SAID="a \\"b\\" \\\\c"$/m);
    expect(text).not.toMatch(/ENV (LINES|KEPT)=|^two/m);
    expect(text).toMatch(/^# No ENV holds the lines of KEPT: /m);
    expect(text).toMatch(/^ARG PIP_CERT$/m);
    // The steps had the sandbox's own variables, and may have set another value.
    expect(text).toMatch(/^ENV RUN_SLOW="1"\nENV PATH="\/bin"\nRUN bash/m);
    expect(text.match(/RUN_SLOW/g)).toHaveLength(1);
    expect(text).toMatch(/^# Needs redis \(process\)/m);
  });
});

describe('services', () => {
  test.each(KNOWN_SERVICES.map((name) => [name]))('%s is known by its name alone', (name) => {
    expect(serviceTrouble(completeService(ServiceSpec.parse({ name })))).toBeUndefined();
  });

  test('one that nobody knows has to say how it starts and when it is ready', () => {
    const trouble = (spec: object) => serviceTrouble(completeService(ServiceSpec.parse({ name: 'own', ...spec })));
    expect(trouble({})).toMatch(/"start" is needed/);
    expect(trouble({ start: 'sleep 9' })).toMatch(/"health" or "port"/);
    expect(trouble({ start: 'sleep 9', port: 80 })).toBeUndefined();
    expect(trouble({ image: 'x', port: 80 })).toMatch(/needs "kind": "container"/);
  });
});

test('an action is one line', () => {
  expect(lineOf({ action: 'finish', thought: '', message: 'no\ncompiler', success: false })).toBe(
    'give up: no compiler',
  );
  expect(lineOf({ action: 'rollback', thought: '', frames: 2 })).toBe('roll back 2 frames');
});
