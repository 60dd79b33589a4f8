// @ts-expect-error TS1479: it ships a CommonJS build, but its types are declared for ES modules only.
import { parse } from 'smol-toml';
import type { Problem } from '../../src/contract';
import { rewardsOf } from '../../src/grading/reward';
import { continuedTurns } from '../../src/problems/harbor/continued';
import { readHarborTask, type TaskFile } from '../../src/problems/harbor/read';
import { harborTask, taskName } from '../../src/problems/harbor/task';

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

  test.each<[string, Texts]>([
    ['several steps', { 'task.toml': '[[steps]]\nname = "one"\n' }],
    ['a container of its own', { 'task.toml': '[verifier]\nenvironment_mode = "separate"\n' }],
    ['a container of its own', { 'task.toml': '[verifier.environment]\ncpus = 1\n' }],
    ['services beside it', { 'environment/docker-compose.yaml': 'services: {}\n' }],
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

  test('whose reference goes where it belongs without context too', () => {
    const solve = (goldPatch: string) =>
      harborTask({ ...PROBLEM, goldPatch }, undefined, CHOICE).get('solution/solve.sh');
    const head = 'diff --git a/f b/f\n--- a/f\n+++ b/f\n';
    expect(solve(`${head}@@ -2,0 +3 @@\n+x\n`)).toContain('--unidiff-zero');
    expect(solve(`${head}@@ -1,2 +1,3 @@\n a\n b\n+x\n`)).not.toContain('--unidiff-zero');
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
