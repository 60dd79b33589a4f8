import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile } from '../../src/cli/dataset/check';
import type { DatasetInput, DatasetResult } from '../../src/contract';
import { toyScores } from '../../src/model/rehearsal/toy-tokens';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const turns = [1, 2].map((i) => ({
  thought: `Look at part ${i} of it.`,
  tool: 'bash',
  args: { command: `echo ${i}` },
}));
const like = (name: string, more: object = {}) => ({ turns, tokens: { like: name, ...more } });
const TEACHERS = ['vllm', 'sglang'] as const;
const models = {
  student: like('vllm'),
  'vllm-teacher': like('vllm'),
  'sglang-teacher': like('sglang'),
  foreign: like('vllm', { foreign: true }),
  narrow: { ...like('vllm'), contextTokens: 20 },
};
const price = { input: 2, output: 4 };

let world: World;
let runs: string[];
beforeAll(async () => {
  const profiles = Object.fromEntries(Object.keys(models).map((name) => [name, { price }]));
  world = await World.start({ script: { models }, profiles: { ...profiles, student: { keepTokens: true } } });
  const problem = await tinyProblem();
  runs = ['distill/a', 'distill/b'];
  const rollout = { student: 'student', handOver: { never: true }, grade: false };
  const told = (id: string) => ({ ...rollout, problem: { ...problem, statement: `${problem.statement} For ${id}.` } });
  await Promise.all(runs.map(async (id) => (await world.begin('rollout', told(id), id)).result()));
});
afterAll(() => world?.close());

const FILTERS = { resolved: false, submitted: false, doubtful: false, identicalActions: 0, fileReads: 0 };
const begin = (name: string, input: Partial<DatasetInput>) =>
  world.begin(
    'dataset',
    {
      ...{ name, sources: [{ runs }], train: { rollout: ['student'] }, filters: FILTERS },
      ...{ perInstance: null, deduplicate: false, formats: ['distill'], ...input },
    },
    `dataset/${name}`,
  );
const build = async (name: string, input: Partial<DatasetInput>) =>
  (await (await begin(name, input)).result()) as DatasetResult;

interface Line {
  readonly input_ids: number[];
  readonly labels: number[];
  readonly logprobs: number[];
  readonly teacher_logprobs: number[];
}
const linesOf = ({ folder }: DatasetResult) =>
  readFileSync(join(folder, 'train.distill.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

test.each(TEACHERS)(
  'what a teacher behind %s said of each sampled token is beside it, and asked once',
  async (kind) => {
    const teacher = `${kind}-teacher`;
    const requests = () => world.rehearsal.stats().models[teacher]?.requests ?? 0;
    await world.control({ model: teacher, faults: [{ kind: 'serverError', first: 2 }] });
    const result = await build(kind, { teacher: { profile: teacher, costUsd: 1 } });
    const lines = linesOf(result);
    expect(lines).toHaveLength(2);
    for (const { input_ids: ids, labels, logprobs, teacher_logprobs: given } of lines) {
      const said = toyScores(teacher, ids, 0);
      expect(labels.filter((label) => label !== -100).length).toBeGreaterThan(10);
      for (const [i, label] of labels.entries()) {
        if (label === -100) expect([logprobs[i], given[i]]).toEqual([0, 0]);
        else {
          expect([label, given[i]]).toEqual([ids[i], said[i]!.logprob]);
          expect(logprobs[i]).toBeLessThan(0);
        }
      }
    }
    const tokens = lines.reduce((sum, { input_ids }) => sum + input_ids.length, 0);
    expect(result.scored).toEqual({ profile: teacher, sequences: 2, tokens, usd: expect.any(Number), left: [] });
    expect(result.scored!.usd).toBeCloseTo((tokens * 2 + 2 * 4) / 1e6, 12);
    expect(await checkFile(join(result.folder, 'train.distill.jsonl'), {})).toMatchObject({ problems: [], rows: 2 });
    const asked = requests();
    const again = await build(`${kind}-again`, { teacher: { profile: teacher, costUsd: 1 } });
    expect(linesOf(again)).toEqual(lines);
    expect(requests()).toBe(asked);
  },
);

test('another vocabulary is refused by name, and what is longer than the teacher’s context is left out', async () => {
  const failing = (name: string, teacher: string) => build(name, { teacher: { profile: teacher } });
  const causeOf = (error: { cause?: { cause?: { message: string } } }) => Promise.reject(error.cause?.cause);
  await expect(failing('foreign', 'foreign').catch(causeOf)).rejects.toThrow(
    '"foreign" has another vocabulary: turn 1',
  );
  await expect(build('none', {}).catch(causeOf)).rejects.toThrow('`distill` needs one');
  const narrow = await failing('narrow', 'narrow');
  expect(narrow.scored!.left).toEqual([{ reason: 'longer_than_context', count: 2 }]);
  expect(narrow.files[0]!.left).toEqual([{ reason: 'not_scored', count: 2 }]);
});
