import { LABEL } from '../../src/sandbox/labels';
import { labelled, NOTHING } from '../support/chaos';
import { figures } from '../support/figures';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

let world: World;
let tried = 0;
beforeAll(async () => {
  world = await World.start({ script: { models: { solo: { turns: [] } } }, profiles: { solo: {} } });
});
afterAll(async () => {
  await world?.close();
});

const rollout = async (more: object) => ({
  problem: await tinyProblem(),
  student: 'solo',
  handOver: { never: true },
  ...more,
});
const grade = async (more: object) => ({ problem: await tinyProblem(), patch: '', ...more });
const check = async (more: object) => ({ problem: await tinyProblem(), ...more });
const init = async (more: object) => ({
  before: 'dir:/no/such/before',
  after: 'dir:/no/such/after',
  statement: 's',
  test: 'true',
  ...more,
});
const janitor = async (more: object) => ({ hosts: ['h'], ...more });

test.each([
  ['rollout', rollout, { problem: 7 }, /problem/],
  ['rollout', rollout, { limits: { steps: -1 } }, /limits\.steps.*-1/],
  ['rollout', rollout, { limits: { stepz: 5 } }, /stepz.*did you mean "steps"/],
  ['rollout', rollout, { sandbox: { memoryMiB: 1 } }, /sandbox\.memoryMiB.*found 1/],
  ['rollout', rollout, { sandbox: { network: 'host' } }, /sandbox\.network/],
  ['rollout', rollout, { handOver: { uniform: [5, 2] } }, /handOver/],
  ['rollout', rollout, { attempt: 'first' }, /attempt.*"first"/],
  ['rollout', rollout, { student: 'Solo!' }, /student/],
  ['rollout', rollout, { problem: '/no/such/problem.json' }, /problem: .*no path that a workflow may have read/],
  ['rollout', rollout, { fork: { run: 'no-such-run', step: 1 } }, /no-such-run/],
  ['rollout', rollout, { fork: { run: 'x', step: -1 } }, /fork\.step/],
  ['grade', grade, { patch: 7 }, /patch.*7/],
  ['grade', grade, { ptch: '' }, /ptch.*did you mean "patch"/],
  ['grade', grade, { problem: 'nothing-of-that-name' }, /no id, folder or file/],
  ['grade', grade, { problem: { id: 'x' } }, /problem\.image/],
  ['problemCheck', check, { runs: 1 }, /runs.*1/],
  ['problemCheck', check, { runs: 'two' }, /runs.*"two"/],
  ['problemCheck', check, { problem: 'nothing-of-that-name' }, /no id, folder or file/],
  ['problemInit', init, { before: 'pypi:x' }, /before.*pypi:x/],
  ['problemInit', init, { statment: 's' }, /statment.*did you mean "statement"/],
  ['problemInit', init, { timeoutSeconds: -1 }, /timeoutSeconds/],
  ['problemInit', init, {}, /\/no\/such\/(before|after)/],
  ['janitor', janitor, { hosts: [] }, /hosts/],
  ['janitor', janitor, { hosts: 'all' }, /hosts.*"all"/],
  ['janitor', janitor, { olderThanSeconds: -1 }, /olderThanSeconds.*-1/],
  ['janitor', janitor, { older: 1 }, /older/],
])('%s refuses input %#', async (type, make, more, message) => {
  const handle = await world.begin(type, await make(more), `bad-${tried++}`);
  const error = (await handle.result().catch((thrown: unknown) => thrown)) as Failure;
  expect(innermost(error)).toMatchObject({
    type: expect.stringMatching(/^(InvalidInput|NotFound)$/),
    message: expect.stringMatching(message),
  });
});

test('none of it left anything behind', async () => {
  const left = await labelled(`${LABEL.scope}=${await world.scope()}`);
  figures('15 bad input', { inputs: tried, left: Object.values(left).flat().length });
  expect(left).toEqual(NOTHING);
});

interface Failure {
  readonly type?: string;
  readonly message: string;
  readonly cause?: Failure;
}
function innermost(failure: Failure): Failure {
  return failure.cause ? innermost(failure.cause) : failure;
}
