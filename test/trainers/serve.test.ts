import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../src/home';
import { TINY_TESTS, tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';
import { outputOf, pythonWith, testWith } from './python';

const script = {
  models: {
    student: {
      position: 'turn',
      turns: [{ thought: 'Mend it.', tool: 'bash', args: { command: 'sed -i "s/a - b/a + b/" src/calc.py' } }],
      end: 'submit',
    },
    sampled: {
      position: 'turn',
      turns: [{ thought: 'Mend it.', tool: 'bash', args: { command: 'sed -i "s/a - b/a + b/" src/calc.py' } }],
      end: 'submit',
      tokens: { like: 'vllm' },
    },
  },
};
let world: World;
let server: ChildProcess;
let url: string;
let env: NodeJS.ProcessEnv;
let problem: object;

beforeAll(async () => {
  world = await World.start({
    script,
    profiles: {
      student: {},
      sampled: { keepTokens: true },
      gone: { baseUrl: 'http://127.0.0.1:9/v1', model: 'student' },
    },
    endpoints: [{ baseUrl: 'http://127.0.0.1', anyPort: true }],
  });
  problem = { ...(await tinyProblem()), tests: TINY_TESTS };
  const program = [join(REPOSITORY, 'dist/main.js'), 'serve', '--port', '0', '--outage-seconds', '5', '--json'];
  server = spawn(process.execPath, program, { env: world.env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(server.stdout!, 'data')) as [Buffer];
  url = (JSON.parse(String(line)) as { url: string }).url;
  const token = readFileSync(join(world.home, 'run', 'serve-token'), 'utf8');
  const sources = join(REPOSITORY, 'packages', 'python-client', 'src');
  env = { ...process.env, PYTHONPATH: sources, POINTSMAN_SERVE_TOKEN: token, PYTHONDONTWRITEBYTECODE: '1' };
});
afterAll(async () => {
  server?.kill('SIGTERM');
  await world?.close();
});

const rollout = (more: object) => ({ problem, student: 'student', handOver: { never: true }, ...more });

test('a loop in Python that is killed goes on with the results that are there; an outage is no reward', async () => {
  const tasks = [
    ...Array.from({ length: 6 }, (_, at) => rollout({ rollout_id: `loop-${at}` })),
    rollout({ rollout_id: 'loop-cut', student: 'gone' }),
  ];
  const loop = (stop: number) =>
    outputOf('python3', [join(__dirname, 'serve_loop.py'), url, JSON.stringify(tasks), String(stop)], env);
  await expect(loop(2)).rejects.toThrow('ended with');
  const before = world.rehearsal.stats().requests;
  const said = (await loop(0)) as {
    results: [string, boolean, number | null, string | null][];
    refused: Record<string, [number, string]>;
    steps: unknown;
  };
  expect(said.results.map(([id, valid, reward]) => [id, valid, reward]).sort()).toEqual(
    [...Array.from({ length: 6 }, (_, at) => [`loop-${at}`, true, 1]).sort(), ['loop-cut', false, null]].sort(),
  );
  // Two calls a rollout in all, whoever asked for it.
  expect(world.rehearsal.stats().requests).toBeGreaterThanOrEqual(before);
  expect(world.rehearsal.stats().requests).toBe(12);
  expect(said.refused).toEqual({
    body: [409, expect.stringContaining('another body')],
    field: [400, expect.stringContaining('did you mean "student"')],
  });
  expect(said.steps).toEqual([
    [1, 'bash'],
    [2, 'submit'],
  ]);
}, 200_000);

testWith(pythonWith('verifiers'))(
  'verifiers evaluates our tasks: it sees each call, and has our verdict as its reward',
  async (python) => {
    const tasks = join(world.home, 'tasks.jsonl');
    writeFileSync(
      tasks,
      `${JSON.stringify({ problem })}\n${JSON.stringify({ problem: { ...problem, id: 'other' } })}\n`,
    );
    const args = [world.rehearsal.url, 'student', url, tasks, join(world.home, 'verifiers')];
    const traces = (await python.runBeside('verifiers_eval.py', { ...env, MODEL_KEY: 'x' }, ...args)) as object[];
    expect(traces).toHaveLength(4);
    for (const trace of traces) {
      expect(trace).toMatchObject({
        ok: true,
        errors: [],
        rewards: { resolved: { score: 1 } },
        calls: 2,
        sampled: ['assistant', 'assistant'],
        info: { valid: true, reward: 1 },
      });
    }
  },
);

testWith(pythonWith('verifiers'))(
  "NeMo Gym's models read what /run answers: items with what they were sampled with, and a mask where there is no verdict",
  async (python) => {
    const row = (more: object) => JSON.stringify({ responses_create_params: { input: 'x' }, problem, ...more });
    const run = (more: object) => python.runBeside('nemo_run.py', env, url, row(more));
    expect(await run({ student: 'sampled', _ng_rollout_id: 'tokens' })).toEqual({
      items: [
        ['NeMoGymResponseOutputMessage', 0, 0],
        ['NeMoGymResponseFunctionToolCallForTraining', expect.any(Number), expect.any(Number)],
        ['NeMoGymFunctionCallOutput', 0, 0],
        ['NeMoGymResponseFunctionToolCallForTraining', expect.any(Number), expect.any(Number)],
        ['NeMoGymFunctionCallOutput', 0, 0],
      ],
      ...{ reward: 1, masked: false, known_kind: true },
    });
    const cut = { items: [], reward: null, masked: true, known_kind: true };
    expect(await run({ student: 'gone', _ng_rollout_id: 'cut' })).toEqual(cut);
  },
);
