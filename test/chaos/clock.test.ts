import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RolloutResult } from '../../src/contract';
import { installPackages } from '../../src/machine/command';
import { runCli } from '../cli/run-cli';
import { resultOf } from '../support/chaos';
import { examples, minutes } from '../support/counts';
import { figures } from '../support/figures';
import { TINY_TESTS, tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketime.so.1`;
const ROLLOUTS = examples(2, 40);
const bash = (command: string) => ({ thought: 'On.', tool: 'bash', args: { command } });
const script = {
  models: {
    student: { turns: [bash('sed -i s/-/+/ src/calc.py'), bash('sleep 2'), bash('sleep 2; ls')], end: 'submit' },
  },
};

let world: World;
/** Holds how far the worker's clock is from the others'. */
let clock: string;

beforeAll(async () => {
  if (!existsSync(LIBRARY)) await installPackages(['libfaketime'], () => {}, '');
  world = await World.start({ script, profiles: { student: {} }, workers: 0 });
  clock = join(world.home, 'clock');
  writeFileSync(clock, '+0');
  world.startWorker({
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    // What nobody sets on a real machine either.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  await world.workerReady();
});
afterAll(async () => {
  await world?.close();
});

async function batch(name: string): Promise<RolloutResult[]> {
  const tests = { ...TINY_TESTS, command: `sleep 3; ${TINY_TESTS.command}` };
  const input = { problem: { ...(await tinyProblem()), tests }, student: 'student', handOver: { never: true } };
  const begun = Array.from({ length: ROLLOUTS }, (_, at) => world.begin('rollout', input, `${name}-${at}`));
  return Promise.all((await Promise.all(begun)).map(resultOf));
}

test('a machine whose clock is off is told of it', async () => {
  const off = { LD_PRELOAD: LIBRARY, FAKETIME: '-3600', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  const { stdout } = await runCli(['status'], { env: { ...world.env, ...off } as Record<string, string> });
  expect(stdout).toMatch(/^clock +this machine's is about 60 minutes behind the server's/m);
  expect(stdout).toContain(`polls ${world.queue}`);
});

test(
  'a clock that jumps an hour, forth and back, ends no command and no test run',
  async () => {
    const [calm] = await batch('calm');
    expect(calm).toMatchObject({ status: 'submitted', resolved: true });
    let over = false;
    const ending = batch('jump').finally(() => {
      over = true;
    });
    let jumps = 0;
    for (; !over; jumps++) {
      await sleep(1_500);
      writeFileSync(clock, jumps % 2 === 0 ? '+3600' : '-3600');
    }
    for (const result of await ending) {
      expect(result).toMatchObject({ status: 'submitted', resolved: true, head: calm!.head });
      expect(result.recovered).toEqual({ sandboxes: 0, redoneSteps: 0 });
    }
    figures('20 a clock that jumps', { rollouts: ROLLOUTS, jumps });
  },
  minutes(4, 20),
);
