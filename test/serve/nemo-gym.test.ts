import { NemoRun, parseInput } from '../../src/contract';
import { nameOfPath, nameOfWorkflow, workflowIdOf } from '../../src/serve/answer';
import { rolloutOfRow } from '../../src/serve/nemo-gym';

const read = (row: object) => parseInput(NemoRun, { responses_create_params: {}, ...row }, 'run');

test.each([
  ['the student that the server names', {}, { student: 'mine', handOver: { never: true } }],
  ['its own', { student: 'other' }, { student: 'other', handOver: { never: true } }],
  ['an expert alone', { expert: 'big' }, { expert: 'big', handOver: { at: 0 } }],
  ['both', { student: 'other', expert: 'big' }, { student: 'other', expert: 'big', handOver: { uniform: [0, 30] } }],
  ['a policy', { student: 's', expert: 'big', hand_over: { at: 3 } }, { handOver: { at: 3 } }],
  ['an attempt', { _ng_attempt_index: 2 }, { attempt: 2 }],
  [
    'a gateway',
    { policy_base_url: 'http://127.0.0.1:1/v1', policy_api_key: 'k' },
    { endpoints: { student: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k' } } },
  ],
])('a row as a rollout: %s', (_, row, expected) => {
  const rollout = rolloutOfRow(read({ instance_id: 'p', ...row }), { rolloutId: 'r', student: 'mine' });
  expect(rollout).toMatchObject({ rollout_id: 'r', problem: 'p', ...expected });
});

test('a row that names no problem is refused', () => {
  expect(() => rolloutOfRow(read({}), { rolloutId: 'r' })).toThrow('problem or instance_id');
});

test('a name is one workflow, and found again in paths and ids', () => {
  expect(nameOfPath('r1.a-b_c')).toEqual({ rolloutId: 'r1.a-b_c', attempt: 0 });
  expect(nameOfPath('r1~12')).toEqual({ rolloutId: 'r1', attempt: 12 });
  for (const wrong of ['', '~1', 'r1~', 'r1~x', '../x', 'a/b', '.x', 'a b']) expect(nameOfPath(wrong)).toBeUndefined();
  const name = { rolloutId: 'r1.a', attempt: 3 };
  expect(nameOfWorkflow(workflowIdOf(name))).toEqual(name);
  expect(nameOfWorkflow('rollout/x/0')).toBeUndefined();
});
