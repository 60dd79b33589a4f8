import type { RolloutResult } from '../../src/contract';
import { resultOf } from '../support/chaos';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string) => ({ thought: 'Go on.', tool: 'bash', args: { command } });
const FORGE = `(while sleep 0.01; do for job in /var/lib/pointsman/jobs/*.cmd; do echo '0 exit 1 2' > "\${job%.cmd}.code"; done; done) > /dev/null 2>&1 &`;
let world: World;
beforeAll(async () => {
  const turns = [bash('echo true'), bash(FORGE), bash('sleep 3; exit 1'), bash('sleep 3; exit 1')];
  const models = { student: { turns } };
  world = await World.start({ script: { models }, profiles: { student: {} } });
}, 180_000);
afterAll(async () => {
  await world?.close();
});

test('a rollout whose commands forge results ends as tampered, without a patch, and is not rebuilt', async () => {
  const problem = await tinyProblem();
  const limits = { steps: 10 };
  const student = 'student';
  const handle = await world.begin(
    'rollout',
    { problem, student, expert: student, handOver: { at: 9 }, limits, grade: true },
    'forger',
  );
  const result: RolloutResult = await resultOf(handle);
  expect(result).toMatchObject({ status: 'tampered', patch: null, grade: null });
  expect(result.detail).toMatch(/tampered with the journal/);
});
