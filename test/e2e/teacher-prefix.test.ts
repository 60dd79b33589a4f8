import type { CampaignResult, Problem } from '../../src/contract';
import { rowsIn } from '../support/campaign-runs';
import { TINY_TESTS, tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

const bash = (command: string) => ({ thought: 'Go on.', tool: 'bash', args: { command } });
const FIX = bash('sed -i "s/a - b/a + b/" src/calc.py');
const TEACHER = [
  bash('ls'),
  bash('cat README.md'),
  bash('cat src/calc.py'),
  bash('git log'),
  bash('true'),
  FIX,
  bash('git diff'),
];
/** With the last `submit`. */
const LENGTH = TEACHER.length + 1;

let world: World;
beforeAll(async () => {
  world = await World.start({
    script: {
      models: {
        expert: { position: 'turn', turns: TEACHER, end: 'submit' },
        // Mends the one problem by itself, whatever it sees, and submits the other as it finds it.
        student: {
          position: 'match',
          turns: [FIX],
          end: 'submit',
          scenes: [{ when: 'hopeless', turns: [], end: 'submit' }],
        },
      },
    },
    profiles: { expert: {}, student: {} },
  });
});
afterAll(async () => {
  await world?.close();
});

const named = async (id: string, statement?: string): Promise<Problem> => {
  const problem = await tinyProblem(id);
  return {
    ...problem,
    statement: statement ?? problem.statement,
    tests: TINY_TESTS,
  };
};

test('the teacher’s part falls as the student passes, by instance; without a teacher nothing begins', async () => {
  const problems = [await named('able'), await named('hard', 'A hopeless case: add(2, 3) gives -1.')];
  const teachers = await world.begin(
    'campaign',
    { problems, methods: [{ name: 'bc', expert: 'expert', handOver: { at: 0 } }] },
    'teachers',
  );
  expect(((await teachers.result()) as CampaignResult).counts.resolved).toBe(2);

  const method = {
    ...{ name: 'teacher-prefix', student: 'student', handOver: { never: true } },
    teacherPrefix: { campaign: 'teachers', levels: 4, outcomes: 1, advance: 0.5 },
  };
  const handle = await world.begin('campaign', { problems, methods: [method], passes: 5, concurrency: 1 }, 'prefix');
  const rows = await rowsIn(world, (await handle.result()) as CampaignResult);
  const of = (id: string) =>
    rows
      .filter(({ instance }) => instance === id)
      .sort((a, b) => a.pass - b.pass)
      .map(({ copiedSteps, result }) => [copiedSteps ?? 0, result?.resolved]);
  // The teacher has mended it by its sixth step, so that what is kept of seven needs nothing more.
  expect(LENGTH).toBe(8);
  expect(of('able')).toEqual([
    [6, true],
    [4, true],
    [2, true],
    [0, true],
    [0, true],
  ]);
  expect(of('hard')).toEqual([
    [6, true],
    [4, false],
    [6, true],
    [4, false],
    [6, true],
  ]);
  const [first] = rows.filter(({ instance, pass }) => instance === 'able' && pass === 0);
  const { steps } = await world.transcripts.load(first!.result!.head);
  expect(steps.slice(0, 6).every(({ turn }) => turn.author === 'expert')).toBe(true);
  expect(steps.slice(6).every(({ turn }) => turn.author === 'student')).toBe(true);

  const others = [...problems, await named('unseen')];
  const refused = await world.begin('campaign', { problems: others, methods: [method] }, 'unseen');
  const error = (await refused.result().catch((thrown: unknown) => thrown)) as Error;
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String((error.cause as Error)?.cause)).toContain(
    'unseen',
  );
}, 300_000);
