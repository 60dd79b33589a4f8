import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DatasetResult } from '../../src/contract';
import { REPOSITORY } from '../../src/home';
import { freePort } from '../../src/machine/ports';

import { TINY_TESTS, tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';
import { pythonWith, testWith } from './python';

/**
 * The commands of "From a campaign to steps of a trainer", as the guide has them. With PyTorch the student and its teacher are
 * tiny models of random weights, and TRL's trainers take steps on what was built; without it ids are made up.
 */
const trainers = pythonWith('trainers');
const GUIDE = readFileSync(join(REPOSITORY, 'docs/guide-training.md'), 'utf8');
const SECTION = GUIDE.slice(GUIDE.indexOf('## From a campaign to steps of a trainer'));
const COMMANDS = /```sh\n(.*?)```/s
  .exec(SECTION)![1]!
  .split('\n')
  .filter((line) => line.startsWith('pointsman '));

const turns = [
  { thought: 'Look at what is there.', tool: 'bash', args: { command: 'cat src/calc.py' } },
  { thought: 'Mend it.', tool: 'bash', args: { command: 'sed -i "s/a - b/a + b/" src/calc.py' } },
];
const submit = { id: 'call-of-a-fault', type: 'function', function: { name: 'submit', arguments: '{}' } };
const gaveUp = { role: 'assistant', content: 'I give up.', tool_calls: [submit] };
const giveUp = { model: 'my-7b', choices: [{ index: 0, message: gaveUp, finish_reason: 'tool_calls' }] };

let world: World;
let server: ChildProcess | undefined;
let folder: string;
beforeAll(async () => {
  const port = await freePort();
  const asked = { baseUrl: `http://127.0.0.1:${port}/v1` };
  const tokens = { like: 'vllm' };
  world = await World.start({
    script: { models: { 'my-7b': { turns, tokens }, 'big-one': { turns, tokens } } },
    profiles: {
      'my-7b': { keepTokens: true, ...('run' in trainers ? asked : {}) },
      'big-one': 'run' in trainers ? asked : {},
    },
  });
  folder = join(world.home, 'work');
  mkdirSync(folder);
  writeFileSync(join(folder, 'rl.yaml'), /# rl\.yaml\n(.*?)```/s.exec(GUIDE)![1]!);
  writeFileSync(join(folder, 'p.jsonl'), `${JSON.stringify({ ...(await tinyProblem()), tests: TINY_TESTS })}\n`);
  if ('run' in trainers) {
    const corpus = join(folder, 'corpus.txt');
    writeFileSync(corpus, GUIDE);
    trainers.run('make_tokenizer.py', corpus, join(__dirname, 'chatml.jinja'), join(folder, 'tokenizer'));
    trainers.run('tiny_models.py', join(folder, 'tokenizer'), folder, 'my-7b', 'big-one');
    const models = ['my-7b', 'big-one'].map((name) => `${name}=${join(folder, name)}`);
    const args = [join(__dirname, 'tiny_server.py'), `${port}`, world.rehearsal.url, ...models];
    server = spawn(trainers.program, args, { env: trainers.env, stdio: ['ignore', 'pipe', 'inherit'] });
    await once(server.stdout!, 'data');
  }
  // One of the rollouts gives up at once: else all rewards were the same.
  await world.control({ model: 'my-7b', faults: [{ kind: 'answer', first: 1, body: giveUp }] });
}, 300_000);
afterAll(async () => {
  server?.kill('SIGKILL');
  await world?.close();
});

const fileOf = (name: string, format: string) => join(world.home, 'datasets', name, `train.${format}.jsonl`);

test('the commands of the guide make a campaign and a file for each kind of training', async () => {
  for (const command of COMMANDS) {
    const args = [join(REPOSITORY, 'bin/pointsman'), ...command.split(/\s+/).slice(1), '--json'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env: world.env });
    const { files } = JSON.parse(stdout) as Partial<DatasetResult>;
    for (const { rows } of files ?? []) expect(rows).toBeGreaterThan(0);
  }
  expect(COMMANDS).toHaveLength(4);
  const files = [fileOf('sft-1', 'tokens'), fileOf('rl-1', 'skyrl'), fileOf('opd-1', 'distill')];
  expect(files.map((file) => existsSync(file))).toEqual([true, true, true]);
}, 240_000);

interface Logged {
  readonly loss: number;
  readonly [metric: string]: number;
}

testWith(trainers)('TRL takes steps on each: by SFT, GRPO and distillation', async (python) => {
  const env = { ...python.env, PYTHONPATH: join(REPOSITORY, 'packages/python-client/src') };
  const steps = async (kind: string, file: string, count: number) =>
    (await python.runBeside('train_steps.py', env, kind, join(folder, 'my-7b'), file, `${count}`)) as Logged[];
  const sft = await steps('sft', fileOf('sft-1', 'tokens'), 12);
  expect(sft.at(-1)!.loss).toBeLessThan(sft[0]!.loss);
  // The policy that sampled is the one that is trained: what was kept is what it gives now.
  const rl = await steps('grpo', fileOf('rl-1', 'skyrl'), 3);
  expect(rl[0]!.ratio).toBeCloseTo(1, 3);
  expect(rl.every(({ loss }) => Number.isFinite(loss))).toBe(true);
  expect(rl.some(({ grad_norm }) => grad_norm! > 0)).toBe(true);
  const opd = await steps('distillation', fileOf('opd-1', 'distill'), 12);
  expect(opd.at(-1)!.loss).toBeLessThan(opd[0]!.loss);
  const figures = { sft: [sft[0], sft.at(-1)], rl: [rl[0], rl.at(-1)], opd: [opd[0], opd.at(-1)] };
  if (process.env.POINTSMAN_FIGURES) console.log(JSON.stringify(figures));
});
