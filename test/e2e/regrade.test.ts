import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CampaignResult, type DatasetResult, jsonLines, type Problem, RolloutRow } from '../../src/contract';
import { runCli } from '../cli/run-cli';
import { addingProblem } from '../support/adding-problem';
import { World } from '../support/world';

/** Two students on one problem: one mends both tests, the other one of them. */
const command = (text: string) => ({ thought: text, tool: 'bash', args: { command: text } });
const fixer = { turns: [command('ls'), command("sed -i 's/a - b/a + b/' src/calc.py")], end: 'submit' };
const half = { turns: [command("sed -i 's/a - b/5 if a == 2 else a - b/' src/calc.py")], end: 'submit' };

let world: World;
let problem: Problem;
beforeAll(async () => {
  world = await World.start({ script: { models: { fixer, half } }, profiles: { fixer: {}, half: {} } });
  problem = await addingProblem();
});
afterAll(async () => {
  await world?.close();
});

async function pointsman(...args: string[]) {
  const own = Object.entries(world.env).filter(([name]) => /^(POINTSMAN|TEMPORAL)_/.test(name));
  const ran = await runCli([...args, '--json'], { env: Object.fromEntries(own) as Record<string, string> });
  return { ...ran, answer: ran.stdout.startsWith('{') ? JSON.parse(ran.stdout) : undefined };
}

const campaign = (id: string, more: object) =>
  world
    .begin('campaign', { problems: [problem], methods: methods('fixer', 'half'), ...more }, id)
    .then((handle) => handle.result() as Promise<CampaignResult>);
const methods = (...students: string[]) =>
  students.map((student) => ({ name: student, student, handOver: { never: true } }));

const BOTH = { fixer: ['student'], half: ['student'] };

async function dataset(name: string, more: object): Promise<DatasetResult> {
  const input = { name, formats: ['universal'], train: { fixer: ['student'] }, ...more };
  return (await world.begin('dataset', input, `dataset/${name}`)).result() as Promise<DatasetResult>;
}

function rowsOf({
  folder,
  files,
}: DatasetResult): { metadata: Record<string, unknown>; messages: { role: string }[] }[] {
  const lines = files
    .filter(({ path }) => path.endsWith('.jsonl'))
    .map(({ path }) => readFileSync(join(folder, path), 'utf8'));
  return lines
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a campaign judged again after its test list changed: what differs is listed, and nothing is run again', async () => {
  const first = await campaign('camp', {});
  expect(first.counts).toMatchObject({ finished: 2, resolved: 1 });
  const { answered } = world.rehearsal.stats();

  const folder = join(world.home, 'today', 'tiny');
  mkdirSync(folder, { recursive: true });
  const [same, small] = problem.tests.failToPass as [string, string];
  const today = { ...problem, tests: { ...problem.tests, failToPass: [small], passToPass: problem.tests.passToPass } };
  expect(same).toContain('same');
  writeFileSync(join(folder, 'problem.json'), JSON.stringify(today));
  const out = join(world.home, 'again.jsonl');
  const { answer } = await pointsman(
    'campaign',
    'regrade',
    'camp',
    '--problems',
    join(world.home, 'today'),
    '--out',
    out,
  );
  expect(answer).toMatchObject({
    counts: { rows: 2, judged: 2, changed: 1, failed: 0 },
    changes: [{ before: { resolved: false }, after: { resolved: true, verdict: 'graded' } }],
  });
  expect(world.rehearsal.stats().answered).toBe(answered);
  const rows = jsonLines(RolloutRow, readFileSync(out, 'utf8'), out, '');
  expect(rows.map(({ method, before, result }) => [method, before?.resolved, result?.resolved])).toEqual([
    ['fixer', true, true],
    ['half', false, true],
  ]);
  expect(await dataset('again', { sources: [{ rollouts: out }], train: BOTH })).toMatchObject({ rows: 2 });
}, 300_000);

test('graded rewards and pass rates choose rows and problems', async () => {
  const sources = [{ campaign: 'camp' }];
  const both = await dataset('half', { sources, train: BOTH, filters: { resolved: false, gradedReward: 0.5 } });
  expect(both).toMatchObject({ rows: 2 });
  expect(
    rowsOf(both)
      .map(({ metadata }) => metadata.graded_reward)
      .sort(),
  ).toEqual([0.5, 1]);
  expect(
    await dataset('more', { sources, train: BOTH, filters: { resolved: false, gradedReward: 0.6 } }),
  ).toMatchObject({
    rows: 1,
  });

  const { answer } = await pointsman('problem', 'difficulty', '--campaign', 'camp');
  expect(answer).toMatchObject({ of: 1, problems: [{ instance: 'tiny', runs: 2, resolved: 1, rate: 0.5 }] });
  const other = { ...problem, id: 'untried' };
  const some = await campaign('hard', {
    problems: [problem, other],
    methods: methods('half'),
    passRates: { sources, between: [0, 0.4] },
  });
  expect(some).toMatchObject({ instances: 1, planned: 1 });
  const refused = await world.begin(
    'campaign',
    { problems: [problem], methods: methods('half'), passRates: { sources, between: [0.9, 1] } },
    'none',
  );
  await expect(refused.result()).rejects.toMatchObject({
    cause: { cause: { message: expect.stringContaining('passRates: of 1 problem none') } },
  });
}, 300_000);

test('a trajectory that is invalid from a turn on leaves later data sets from there', async () => {
  const id = 'camp/fixer/tiny/0';
  const sources = [{ runs: [id], method: 'fixer' }];
  const before = await dataset('before', { sources });
  const assistants = (of: DatasetResult) => rowsOf(of)[0]!.messages.filter(({ role }) => role === 'assistant').length;
  expect(assistants(before)).toBe(3);
  expect((await pointsman('rollout', 'review', id, '--invalid-from', '2')).stderr).toContain('Give it with --why');
  const marked = await pointsman('rollout', 'review', id, '--invalid-from', '2', '--why', 'it met a broken network');
  expect(marked.answer).toMatchObject({ review: { accepted: true, invalidFrom: 2 } });
  expect(assistants(await dataset('after', { sources }))).toBe(1);
}, 200_000);
