import { HandOverPolicy, nearest, parseInput, RepoSetupInput, RolloutInput } from '../src/contract';

const refusal = (input: unknown) => {
  try {
    parseInput(RolloutInput, input, 'rollout');
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('accepted');
};
const base = { problem: 'p', student: 's', expert: 'e' };

test.each([
  [{ ...base, studnet: 'x' }, /^rollout: studnet: unknown field, did you mean "student"\?$/],
  [{ ...base, limits: { stepz: 3 } }, /limits\.stepz: unknown field, did you mean "steps"\?/],
  [{ ...base, limits: { steps: 'many' } }, /limits\.steps: .*expected number.*\(found "many"\)/],
  [{ ...base, handOver: { at: 'six' } }, /handOver\.at: .*expected number.*\(found "six"\)/],
  [{ ...base, handOver: { uniform: [30, 0] } }, /handOver\.uniform: the first number must not be larger/],
  [{ ...base, sandbox: { network: 'host' } }, /sandbox\.network: .*(found "host")/],
  [{ ...base, problem: { id: 'x' } }, /problem\.image/],
  [{ ...base, sandbox: { env: { 'A=B': 'c' } } }, /sandbox\.env\.A=B: a name without "="/],
  [{ ...base, sandbox: { env: { A: 'b\0c' } } }, /sandbox\.env\.A: text without a zero byte/],
  [{ ...base, sandbox: { cpus: 0.001 } }, /sandbox\.cpus.*0\.01/],
  ['not an object', /expected object/],
])('%j is refused with field, finding and expectation', (input, message) => {
  expect(refusal(input).code).toBe('InvalidInput');
  expect(refusal(input).message).toMatch(message);
});

test('defaults are filled in', () => {
  expect(parseInput(RolloutInput, base, 'rollout')).toMatchObject({
    handOver: { uniform: [0, 30] },
    limits: { steps: 80, commandSeconds: 300 },
    sandbox: { network: 'none', checkpointEvery: 0 },
    grade: true,
  });
});

test('what a sandbox is not told stays as its workflow needs it', () => {
  const { sandbox } = parseInput(RepoSetupInput, { source: 'pypi:a==1', sandbox: { env: { FAST: '1' } } }, 'repoSetup');
  expect(sandbox).toMatchObject({ env: { FAST: '1' }, network: 'bridge', memoryMiB: 4096, pids: 1024, cpus: 2 });
});

test('a suggestion is made only for what a slip of the fingers explains', () => {
  expect(nearest('rolout', ['rollout', 'grade'])).toBe('rollout');
  expect(nearest('banana', ['rollout', 'grade'])).toBeUndefined();
  expect(HandOverPolicy.safeParse({ never: true }).success).toBe(true);
});
