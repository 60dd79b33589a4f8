import fc from 'fast-check';
// @ts-expect-error TS1479: it ships a CommonJS build, but its types are declared for ES modules only.
import { parse } from 'smol-toml';
import { Problem, partAt, partsOf } from '../../src/contract';
import { isExcluded } from '../../src/environments/grading/excluded';
import { reportOf } from '../../src/environments/grading/trial';
import { overParts, rewardsOf, verdictOver, whyStopped } from '../../src/grading/reward';
import { continuedTurns } from '../../src/problems/harbor/continued';
import type { TaskFile } from '../../src/problems/harbor/files';
import { readHarborTask } from '../../src/problems/harbor/read';
import { harborTask, taskName } from '../../src/problems/harbor/task';
import { codePoint } from '../support/code-points';

type Texts = Readonly<Record<string, string>>;
const files = (texts: Texts): Map<string, TaskFile> =>
  new Map(
    Object.entries(texts).map(([path, text]) => [path, { bytes: Buffer.from(text), executable: path.endsWith('.sh') }]),
  );
const TASK: Texts = {
  'task.toml': '',
  'instruction.md': 'Do it.\n',
  'environment/Dockerfile': 'FROM debian\nWORKDIR /app\n',
  'tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n',
};
const compose = (services: string): Texts => ({ 'environment/docker-compose.yaml': `services:\n  ${services}\n` });
const read = (texts: Texts) => readHarborTask(files({ ...TASK, ...texts }), 'folder');

describe('a task becomes a problem', () => {
  test('of the least that a task has', () => {
    const { problem, notes } = read({});
    expect(problem).toMatchObject({
      id: 'folder',
      workdir: '/app',
      statement: 'Do it.\n',
      tests: {
        at: '/tests',
        failToPass: ['reward'],
        timeoutSeconds: 600,
        files: [{ path: 'test.sh', executable: true }],
      },
      needs: { network: 'bridge' },
      build: { files: [{ path: 'Dockerfile' }] },
    });
    expect(problem.image).toMatch(/^pointsman\/task:[0-9a-f]{20}$/);
    expect(notes).toEqual([]);
    expect(read({}).problem.image).toBe(problem.image);
    expect(read({ 'environment/data.csv': '1' }).problem.image).not.toBe(problem.image);
  });

  test('with what its sandbox needs, in new words and old', () => {
    const needs = (environment: string) => read({ 'task.toml': `[environment]\n${environment}` }).problem.needs;
    expect(needs('cpus = 4\nmemory_mb = 8192\nstorage_mb = 2048\nnetwork_mode = "no-network"')).toEqual({
      ...{ network: 'none', cpus: 4, memoryMiB: 8192, diskMiB: 2048 },
    });
    expect(needs('memory = "2G"\nstorage = "512M"\nallow_internet = false')).toEqual({
      ...{ network: 'none', memoryMiB: 2048, diskMiB: 512 },
    });
    expect(needs('memory = "100K"')).toMatchObject({ network: 'bridge', memoryMiB: 64 });
  });

  test('of an image that is there, with variables in one that is made of it', () => {
    const image = '[environment]\ndocker_image = "org/image:1"\nworkdir = "/srv/"\n';
    const without: Texts = { ...TASK, 'task.toml': image };
    const { 'environment/Dockerfile': _, ...bare } = without;
    expect(readHarborTask(files(bare), 'x').problem).toMatchObject({ image: 'org/image:1', workdir: '/srv' });
    const given = readHarborTask(
      files({ ...bare, 'task.toml': `${image}env = { PRICE = "5 $ \\"net\\"" }\n` }),
      'x',
    ).problem;
    expect(given.build!.files[0]!.content).toBe('FROM org/image:1\nENV PRICE="5 \\$ \\"net\\""\n');
  });

  test('with the work directory of its last stage', () => {
    const workdir = (dockerfile: string) => read({ 'environment/Dockerfile': dockerfile });
    expect(workdir('FROM a\nWORKDIR /one\nFROM b\nworkdir /two\nWORKDIR three\n').problem.workdir).toBe('/two/three');
    expect(workdir('FROM a\n')).toMatchObject({
      problem: { workdir: '/root' },
      notes: [expect.stringContaining('/root')],
    });
  });

  test('with its solution, its verifier’s variables, and what it says of its agent', () => {
    const { problem, notes } = read({
      'task.toml':
        '[task]\nname = "org/add"\n[agent]\ntimeout_sec = 30\nuser = "ann"\n[verifier]\ntimeout_sec = 9\nenv = { A = "it\'s" }\n[solution]\nenv = { B = "2" }\n',
      'solution/solve.sh': 'true\n',
    });
    expect(problem).toMatchObject({ id: 'add', solution: { command: 'export B=2; bash /solution/solve.sh' } });
    expect(problem.tests.timeoutSeconds).toBe(9);
    expect(problem.tests.command).toContain(`export A='it'"'"'s'; /tests/test.sh`);
    expect(notes).toHaveLength(2);
  });

  test('of several steps, with tests and variables of their own over shared ones', () => {
    const { problem } = read({
      'task.toml':
        'multi_step_reward_strategy = "final"\n[verifier]\nenv = { A = "1", B = "1" }\n[[steps]]\nname = "one"\nmin_reward = 0.5\n[[steps]]\nname = "two"\n[steps.verifier]\ntimeout_sec = 7\nenv = { B = "2" }\n',
      'steps/one/instruction.md': '<!-- canary -->\n\nFirst.\n',
      'steps/one/workdir/setup.sh': 'true\n',
      'steps/two/instruction.md': 'Second.\n',
      'steps/two/tests/test.sh': 'own\n',
      'tests/shared': 'shared\n',
    });
    expect(problem).toMatchObject({
      statement: 'First.\n',
      opening: { command: expect.stringMatching(/ && bash setup.sh$/) },
      tests: { timeoutSeconds: 600 },
      further: { reward: 'final', least: { reward: 0.5 }, parts: [{ name: 'two', tests: { timeoutSeconds: 7 } }] },
    });
    expect(partsOf(problem)).toBe(2);
    const { statement, tests, opening, least } = partAt(problem, 1);
    expect({ statement, files: opening!.files, least }).toEqual({
      statement: 'Second.\n',
      files: [],
      least: undefined,
    });
    expect(tests.files.map(({ path, content }) => [path, content])).toEqual([
      ['shared', 'shared\n'],
      ['test.sh', 'own\n'],
    ]);
    expect(tests.command).toContain('export A=1; export B=2; ');
  });

  test('whose tests run apart, in the image that is named for them, in one of their own, or in a fresh one', () => {
    const apart = (toml: string, more: Texts = {}) => read({ 'task.toml': toml, ...more }).problem.tests;
    const separate = '[verifier]\nenvironment_mode = "separate"\n';
    const fresh = apart(`artifacts = ["/app/out/", "/logs/artifacts"]\n${separate}`);
    expect(fresh).toMatchObject({
      files: [{ path: 'test.sh' }],
      apart: { image: read({}).problem.image, workdir: '/app', holdsTests: false, needs: { network: 'bridge' } },
    });
    expect(fresh.apart!.artifacts.map(({ source }) => source)).toEqual(['/app/out', '/logs/artifacts']);
    const named = apart(
      '[verifier.environment]\ndocker_image = "x/y:1"\nworkdir = "/j"\nnetwork_mode = "no-network"\n',
      {
        'tests/Dockerfile': 'FROM z\n',
      },
    );
    expect(named).toMatchObject({
      files: [],
      apart: { image: 'x/y:1', workdir: '/j', holdsTests: true, needs: { network: 'none' } },
    });
    expect(named.apart).not.toHaveProperty('build');
    const own = apart(`${separate}[[verifier.collect]]\ncommand = "dump"\nservice = "db"\n`, {
      'tests/Dockerfile': 'FROM z\nWORKDIR /judge\n',
      ...compose('db: { image: x }'),
    });
    expect(own.apart).toMatchObject({
      workdir: '/judge',
      collect: [{ command: 'dump', service: 'db', timeoutSeconds: 60 }],
      build: { files: [{ path: 'Dockerfile', content: 'FROM z\nWORKDIR /judge\n' }, { path: 'test.sh' }] },
    });
  });

  test('with services, each behind those that it needs', () => {
    const { services } = read({
      ...compose(
        `web: { build: { context: web }, command: ["serve", "$$x"], depends_on: { db: {} }, ports: ["8080:80/tcp"], environment: [A=1] }
  db: { image: "pg:1", healthcheck: { test: ["CMD", "ready", "a b"] } }
  main: { environment: { HOST: db }, depends_on: [web] }`,
      ),
      'environment/web/Dockerfile': 'FROM w\n',
    }).problem;
    expect(services).toMatchObject([
      { name: 'db', kind: 'container', image: 'pg:1', health: "'ready' 'a b'" },
      { name: 'web', port: 80, env: { A: '1' }, build: { files: [{ content: 'FROM w\nCMD ["serve","$x"]\n' }] } },
    ]);
  });

  test('with anchors, older mounts of logs, and names with underscores', () => {
    const { services, workdir } = read({
      'environment/docker-compose.yaml': `x-all: &all { image: "x:1", shm_size: 1g }
services:
  main: { working_dir: /srv/app, volumes: ["\${HOST_VERIFIER_LOGS_PATH}:\${ENV_VERIFIER_LOGS_PATH}"] }
  my_db: { <<: *all }
`,
    }).problem;
    expect(services).toMatchObject([{ name: 'my_db', image: 'x:1', health: 'true' }]);
    expect(workdir).toBe('/srv/app');
  });

  test('with what its image starts, and the health check that is waited for', () => {
    const health = '[environment.healthcheck]\ncommand = "up"\n';
    const services = (dockerfile: string, toml = health) =>
      read({ 'task.toml': toml, 'environment/Dockerfile': dockerfile }).problem.services;
    expect(services('FROM a\n')).toMatchObject([{ kind: 'process', start: 'true', health: 'up' }]);
    expect(services('FROM x\nENTRYPOINT no\nFROM a\nENTRYPOINT ["/e", "a b"]\n')).toMatchObject([
      { start: "/e 'a b' sh -c 'sleep infinity'", health: 'up' },
    ]);
    expect(services('FROM a\nENTRYPOINT start it\n', '')).toMatchObject([
      { start: "sh -c 'start it'", health: 'true' },
    ]);
    expect(services('FROM a\n', '')).toBeUndefined();
  });

  test.each<[string, Texts]>([
    ['no steps/one/instruction.md', { 'task.toml': '[[steps]]\nname = "one"\n' }],
    ['the same name', { 'task.toml': '[[steps]]\nname = "one"\n[[steps]]\nname = "One"\n' }],
    ['task.toml', { 'task.toml': '[[steps]]\nname = "../one"\n' }],
    ['tests/docker-compose.yaml', { 'tests/docker-compose.yaml': '' }],
    ['trajectory.json', { 'trajectory.json': '{}' }],
    ['volumes of db', compose('db: { image: x, volumes: ["a:/b"] }')],
    ['volumes have no equal', { 'environment/docker-compose.yaml': 'services: {}\nvolumes: { a: {} }\n' }],
    ['read from the host', compose('db: { image: x, environment: { KEY: "${KEY}" } }')],
    ['read from the host', compose('db: { image: x, environment: [KEY] }')],
    ['outside of environment/', compose('db: { build: ../x }')],
    ['neither image nor build', compose('db: { environment: {} }')],
    ['no absolute path (out)', { 'task.toml': 'artifacts = ["out"]\n[verifier]\nenvironment_mode = "separate"\n' }],
    ['env_file of db', compose('db: { image: x, env_file: a.env }')],
    ['has to end', compose('db: { image: x, depends_on: { a: { condition: service_completed_successfully } } }')],
    ['depends on itself', compose('a: { image: x, depends_on: [b] }\n  b: { image: x, depends_on: [a] }')],
    ['an entrypoint of its own', compose('main: { entrypoint: x }')],
    ['docker-compose.yaml', compose('a: [')],
    ['more than 100 lists', compose(`a: ${'['.repeat(15_000)}`)],
    ['more than 100 lists', compose(`a: ${'["]",'.repeat(3_000)}`)],
    ['8 levels in a line', compose(`a:\n${'- '.repeat(7_000)}`)],
    ['8 levels in a line', compose(`a:\n${'- !a '.repeat(3_000)}`)],
    ['more than 16384 characters', compose(`# ${'}'.repeat(1_000_000)}`)],
    ['Windows', { 'task.toml': '[environment]\nos = "Windows"\n' }],
    ['GPUs', { 'task.toml': '[environment]\ngpus = 1\n' }],
    ['MCP', { 'task.toml': '[[environment.mcp_servers]]\nname = "m"\n' }],
    ['list of hosts', { 'task.toml': '[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["a.b"]\n' }],
    ['read from the host', { 'task.toml': '[environment]\nenv = { KEY = "${KEY}" }\n' }],
    ['read from the host', { 'task.toml': '[verifier]\nenv = { KEY = "${KEY:-x}" }\n' }],
    ['no instruction.md', { 'instruction.md': ' \n' }],
    ['task.toml: Invalid', { 'task.toml': '= = =' }],
    ['no name of a variable', { 'task.toml': '[environment]\nenv = { "A B" = "1" }\n' }],
  ])('not one with %s', (said, texts) => {
    expect(() => read(texts)).toThrow(said);
  });
});

const PROBLEM: Problem = {
  id: 'a/b c',
  image: 'image:1',
  workdir: "/work it's",
  statement: 'Mend it.',
  goldPatch: 'diff',
  tests: {
    command: 'true',
    parser: { kind: 'auto' },
    failToPass: ['t'],
    passToPass: [],
    files: [],
    timeoutSeconds: 60,
  },
  protected: [],
  provenance: {},
};
const CHOICE = { image: 'image:1', node: 'node:1', org: 'org', network: 'none' } as const;

describe('a problem becomes a task', () => {
  test('that is read back as it was, whatever its names', () => {
    const task = harborTask(PROBLEM, '{}', CHOICE);
    const again = readHarborTask(files({ ...Object.fromEntries(task), 'tests/judge.cjs': '' }), 'x');
    expect(again.problem).toEqual(PROBLEM);
    expect(parse(task.get('task.toml')!)).toMatchObject({
      schema_version: '1.4',
      task: { name: 'org/a-b-c' },
      verifier: { environment_mode: 'separate', environment: { network_mode: 'no-network' } },
    });
    expect(task.get('solution/solve.sh')).toContain(`cd '/work it'"'"'s'`);
  });

  test('and is the same problem again, whatever is in it', () => {
    const text = fc.string({ minLength: 1, unit: codePoint });
    const lines = fc.string({ unit: 'grapheme' });
    const path = fc.stringMatching(/^[a-z]{1,8}(\/[a-z .]{0,4}[a-z]){0,2}$/);
    const content = fc.oneof(
      lines,
      fc.constant(null),
      fc.base64String().map((base64) => ({ base64 })),
    );
    const file = fc.record({ path, content, executable: fc.boolean() }, { requiredKeys: ['path', 'content'] });
    const list = fc.array(file, { maxLength: 3 });
    const tests = fc.record(
      {
        command: text,
        parser: fc.constantFrom({ kind: 'auto' as const }, { kind: 'junit' as const, report: 'r.xml' }),
        failToPass: fc.array(lines),
        passToPass: fc.array(lines),
        files: list,
        patch: lines,
        timeoutSeconds: fc.double({ min: 0.1, max: 1e5, noNaN: true }),
      },
      { requiredKeys: ['command', 'failToPass', 'passToPass'] },
    );
    const target = { kind: 'function', file: 'a.py', module: 'a', name: 'f' };
    const problem = fc.record(
      {
        id: fc.string({ minLength: 1, maxLength: 60 }),
        image: text,
        workdir: fc.constantFrom('/testbed', "/a b's", '/ä/$x'),
        statement: fc.string({ minLength: 1, unit: 'grapheme' }),
        tests,
        goldPatch: lines,
        protected: fc.array(lines),
        environment: fc.record({ source: lines, base: lines, setup: fc.array(lines) }),
        build: fc.record({ files: list }),
        needs: fc.record({ network: fc.constantFrom('none', 'bridge'), memoryMiB: fc.integer({ min: 64, max: 9999 }) }),
        solution: fc.record({ files: list, command: text }),
        preparation: fc.record({ patch: lines, files: list }),
        provenance: fc.constantFrom({}, { made: 'function problem', target }),
        licence: lines,
      },
      { requiredKeys: ['id', 'image', 'workdir', 'statement', 'tests'] },
    );
    fc.assert(
      fc.property(problem, fc.option(text, { nil: undefined }), (given, controls) => {
        const before = Problem.parse(given);
        const task = harborTask(before, controls, CHOICE);
        const back = readHarborTask(files({ ...Object.fromEntries(task), 'tests/judge.cjs': '' }), 'x');
        expect(back).toEqual({ problem: before, notes: [] });
        expect(() => parse(task.get('task.toml')!)).not.toThrow();
        expect(task.get('solution/gold.patch')).toBe(before.goldPatch);
      }),
    );
  });

  test('whose reference goes where it belongs without context too', () => {
    const solve = (goldPatch: string) =>
      harborTask({ ...PROBLEM, goldPatch }, undefined, CHOICE).get('solution/solve.sh');
    const head = 'diff --git a/f b/f\n--- a/f\n+++ b/f\n';
    expect(solve(`${head}@@ -2,0 +3 @@\n+x\n`)).toContain('--unidiff-zero');
    expect(solve(`${head}@@ -1,2 +1,3 @@\n a\n b\n+x\n`)).not.toContain('--unidiff-zero');
  });

  test('with what its sandboxes need', () => {
    const limits = { cpus: 3, memory_mb: 4096, storage_mb: 512 };
    const task = harborTask({ ...PROBLEM, needs: { cpus: 3, memoryMiB: 4096, diskMiB: 512 } }, undefined, CHOICE);
    expect(parse(task.get('task.toml')!)).toMatchObject({ environment: limits, verifier: { environment: limits } });
  });

  test('with images that are somewhere already', () => {
    const pushed = { environment: 'r/e:1', verifier: 'r/v:1' };
    expect(parse(harborTask(PROBLEM, undefined, { ...CHOICE, pushed }).get('task.toml')!)).toMatchObject({
      environment: { docker_image: 'r/e:1' },
      verifier: { environment: { docker_image: 'r/v:1' } },
    });
  });

  test('whose name Harbor takes', () => {
    for (const id of ['..', 'é', '-x', 'a..b', 'org/repo__1-2', '__init__'])
      expect(`org/${taskName(id)}`).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9._-]*\/[a-zA-Z0-9][a-zA-Z0-9._-]*$/);
    expect(taskName('a..b')).toBe('a.b');
  });
});

describe('what an agent did behind the prior context', () => {
  const call = (name: string, args: object, more: object = {}) => ({
    ...{ source: 'agent', message: 'm', tool_calls: [{ tool_call_id: '1', function_name: name, arguments: args }] },
    observation: { results: [{ source_call_id: '1', content: 'seen' }] },
    ...more,
  });
  const document = (...steps: object[]) => ({ agent: { name: 'a', version: '1' }, steps });
  const turns = (...steps: object[]) => continuedTurns(document(...steps), document()).turns;

  test.each<[string, object, object]>([
    ['Bash', { command: 'ls', description: 'x' }, { tool: 'bash', args: { command: 'ls' } }],
    ['shell', { command: ['bash', '-lc', 'ls | wc'] }, { tool: 'bash', args: { command: 'ls | wc' } }],
    ['shell', { command: ['ls', 'a b'] }, { tool: 'bash', args: { command: "ls 'a b'" } }],
    ['exec_command', { cmd: 'ls' }, { tool: 'bash', args: { command: 'ls' } }],
    [
      'Write',
      { file_path: '/a', content: 'x' },
      { tool: 'str_replace_editor', args: { command: 'create', path: '/a', file_text: 'x' } },
    ],
    [
      'Edit',
      { file_path: '/a', old_string: 'x', new_string: 'y' },
      { tool: 'str_replace_editor', args: { command: 'str_replace', path: '/a', old_str: 'x', new_str: 'y' } },
    ],
    ['Read', { file_path: '/a', offset: 3, limit: 2 }, { args: { command: 'view', path: '/a', view_range: [3, 4] } }],
    ['Read', { file_path: '/a' }, { args: { command: 'view', path: '/a' } }],
    ['finish', { message: 'done' }, { tool: 'submit', args: {} }],
    // What has no equal keeps its name.
    ['Edit', { file_path: '/a', old_string: 'x', new_string: 'y', replace_all: true }, { tool: 'Edit' }],
    ['Bash', { script: 7 }, { tool: 'Bash', args: { script: 7 } }],
    ['Grep', { pattern: 'x' }, { tool: 'Grep', args: { pattern: 'x' } }],
  ])('%s %j', (name, args, expected) => {
    expect(turns(call(name, args))).toMatchObject([{ thought: 'm', observation: 'seen', ...expected }]);
  });

  test('without the prior context, marked or repeated; the last words are the end', () => {
    const prior = document({ source: 'user', message: 'Do it.' }, call('bash', { command: 'ls' }));
    const own = call('bash', { command: 'pwd' });
    const end = { source: 'agent', message: [{ type: 'text', text: 'Done.' }] };
    const repeated = continuedTurns(document(...prior.steps, own, end), prior);
    expect(repeated.turns.map(({ tool, thought }) => [tool, thought])).toEqual([
      ['bash', 'm'],
      ['submit', 'Done.'],
    ]);
    expect(repeated.agent).toBe('a 1');
    const marked = document(call('x', {}, { is_copied_context: true }), own);
    expect(continuedTurns(marked, prior).turns).toMatchObject([{ args: { command: 'pwd' } }]);
    // The same command again is a step of its own.
    expect(continuedTurns(document(call('bash', { command: 'pwd' }), own), prior).turns).toHaveLength(2);
  });

  test('a step with several calls is as many turns, and its tokens are counted once', () => {
    const step = {
      ...call('bash', {}),
      tool_calls: ['ls', 'pwd'].map((command, id) => ({
        tool_call_id: `${id}`,
        function_name: 'bash',
        arguments: { command },
      })),
      observation: { results: [{ content: 'one' }, { content: 'two' }] },
      metrics: { prompt_tokens: 5, completion_tokens: 2 },
    };
    expect(turns(step)).toMatchObject([
      { thought: 'm', observation: 'one', promptTokens: 5, completionTokens: 2 },
      { thought: '', observation: 'two', promptTokens: 0, completionTokens: 0 },
    ]);
  });

  test('what is no document of this kind is refused with the field', () => {
    expect(() => continuedTurns({ steps: 'x' }, document())).toThrow('trajectory.json');
  });
});

test('rewards of parts: their mean or the last, and what is too little for the next', () => {
  expect(overParts([{ reward: 1, a: 1 }, undefined, { reward: 0.5 }], 'mean')).toEqual({ reward: 0.75, a: 0.5 });
  expect(overParts([{ reward: 1 }, { b: 2 }], 'final')).toEqual({ b: 2 });
  expect(overParts([undefined], 'mean')).toEqual({});
  expect(whyStopped({ reward: 0.4 }, { reward: 0.5 })).toContain('0.4');
  expect(whyStopped(undefined, { reward: 0 })).toContain('missing');
  expect([whyStopped({ reward: 0.5 }, { reward: 0.5 }), whyStopped(undefined)]).toEqual([undefined, undefined]);
  const part = (reward: number) => ({ resolved: reward >= 1, rewards: { reward }, runs: [], seconds: 1 }) as never;
  expect(verdictOver([part(1), part(1)], 2, 'mean')).toMatchObject({ resolved: true, seconds: 2 });
  expect(verdictOver([part(1)], 2, 'mean')).toMatchObject({ resolved: false, failToPass: { passed: 1, total: 2 } });
  expect(verdictOver([part(0), part(1)], 2, 'final')).toMatchObject({ resolved: true, rewards: { reward: 1 } });
});

test.each([
  ['a.log', '*.log', true],
  ['b/c.log', '*.log', true],
  ['node_modules/x/y', 'node_modules', true],
  ['a/node_modules/x', 'node_modules/', true],
  ['a/b/c', 'a/b', true],
  ['x/a/b/c', './a/b', true],
  ['a/bc', 'a/b', false],
  ['a+b', 'a+b', true],
  ['aab', 'a+b', false],
  ['x1', 'x[0-9]', true],
  ['xa', 'x[!a]', false],
  ['x-', 'x[a-]', true],
  ['a/long/way.txt', 'a*y.t?t', true],
  ['a/long/way.txt', 'a*z*t', false],
  ['[', '[', true],
  ['a'.repeat(5_000), `${'a*'.repeat(200)}b`, false],
])('%s is excluded by %s: %s', (path, pattern, is) => {
  expect(isExcluded(path, [pattern])).toBe(is);
});

test.each([
  ['/logs/verifier/reward.json', '/logs/verifier'],
  ['out.xml', '/app/out.xml'],
  ['src/out.xml', '/app/src/out.xml'],
  ['/reward.json', '/reward.json'],
])('of a report at %s goes %s, and no work of the agent', (report, gone) => {
  expect(reportOf('/app', { kind: 'junit', report })).toEqual([gone]);
});

test('rewards: shares multiplied, and nothing for who was caught', () => {
  const tally = (passed: number, total: number) => ({ passed, total, missing: [] });
  const of = (verdict: 'graded' | 'bribed', fail: number, pass: number) =>
    rewardsOf({ resolved: false, verdict, failToPass: tally(fail, 4), passToPass: tally(pass, 2) });
  expect(of('graded', 2, 1)).toEqual({ reward: 0, graded: 0.25, fail_to_pass: 0.5, pass_to_pass: 0.5 });
  expect(of('bribed', 4, 2)).toMatchObject({ reward: 0, graded: 0 });
  expect(rewardsOf(undefined)).toMatchObject({ graded: 0 });
  expect(
    rewardsOf({ resolved: true, verdict: 'graded', failToPass: tally(1, 1), passToPass: tally(0, 0) }),
  ).toMatchObject({
    ...{ reward: 1, graded: 1 },
  });
});
