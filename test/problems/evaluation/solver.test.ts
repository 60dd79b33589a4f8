import { openPython } from '@pointsman/python';
import type { FunctionInstance } from '../../../src/contract';
import { builtinAnswer } from '../../../src/evaluation/builtin-solver';
import { repairPrompt, taskValues } from '../../../src/evaluation/prompt';
import { readCandidate } from '../../../src/problems/candidate';

const reference = `def clamp(value, low=0, high=10):
    """Keep a value within bounds."""
    if low > high:
        raise ValueError('no room')
    if value < low:
        return low
    return high if value > high else value
`;
const subject = (name: string, kind: 'function' | 'method' = 'function') =>
  ({ target: { module: 'bounds', name, kind, file: 'bounds.py', lines: [40, 48] } }) as FunctionInstance['subject'];
const problem = { reference, subject: subject('clamp') };

test('the oracle answers with the reference, the stub with a body that raises', async () => {
  const python = await openPython();
  expect(builtinAnswer(python, 'builtin:oracle', problem, { sample: 3, seed: 0 })).toBe(reference);
  const stub = builtinAnswer(python, 'builtin:stub', problem, { sample: 0, seed: 0 })!;
  expect(stub).toContain('"""Keep a value within bounds."""\n    raise NotImplementedError');
  expect(stub).not.toContain('no room');
});

test('mutants are Python, differ from the reference and from sample to sample, and depend on nothing but the seed', async () => {
  const python = await openPython();
  const answers = (seed: number, n: number) =>
    Array.from({ length: n }, (_, sample) => builtinAnswer(python, 'builtin:mutant', problem, { sample, seed })!);
  const drawn = answers(0, 8);
  expect(new Set(drawn).size).toBe(8);
  expect(answers(0, 8)).toEqual(drawn);
  for (const each of drawn) {
    expect(each).not.toBe(reference);
    expect(python.parse('m.py', each).errors).toEqual([]);
    expect(readCandidate(python, `\`\`\`python\n${each}\`\`\``, problem.subject.target)).toHaveProperty('source');
  }
  // More samples than there are mistakes: all of them, then round again.
  const many = answers(0, 120);
  const all = new Set(many).size;
  expect(all).toBeGreaterThan(8);
  expect(new Set(many.slice(0, all)).size).toBe(all);
  const method = { reference, subject: subject('Bounds.clamp', 'method') };
  expect(builtinAnswer(python, 'builtin:mutant', method, { sample: 0, seed: 0 })).toBe(drawn[0]);
});

test('a function of which nothing can be changed has no mutant', async () => {
  const python = await openPython();
  const empty = { reference: 'def clamp(value):\n    pass\n', subject: subject('clamp') };
  expect(builtinAnswer(python, 'builtin:mutant', empty, { sample: 0, seed: 0 })).toBeUndefined();
});

test('what a solver is told names the function and holds nothing of its body', () => {
  const instance = {
    ...problem,
    signature: reference.split('\n').slice(0, 2).join('\n'),
    contexts: { naive: 'naive', full: 'full', sliced: 'LIMIT = 10\n\n' },
  } as unknown as FunctionInstance;
  const values = taskValues(instance, 'sliced');
  expect(values).toMatchObject({ name: 'clamp', kind: 'function', module: 'bounds', context: 'LIMIT = 10' });
  expect(JSON.stringify(values)).not.toContain('no room');
  expect(taskValues(instance, 'full').context).toBe('full');
  expect(repairPrompt({ verdict: 'unreadable' })).toBe('repair-unreadable');
  expect(repairPrompt({ verdict: 'timeout' })).toBe('repair');
});
