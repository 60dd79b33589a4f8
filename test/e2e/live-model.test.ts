import { ExitStatus, type RepoSetupResult, type RolloutResult, SetupStatus } from '../../src/contract';
import { SetupChains } from '../../src/store/setup-chains';
import { figures } from '../support/figures';
import { folderOf, projectOf, removeFolders } from '../support/set-up';
import { tinyProblem } from '../support/tiny-problem';
import { World } from '../support/world';

/**
 * A real model, where `POINTSMAN_LIVE_MODEL` names an endpoint (`http://127.0.0.1:8080/v1`) and `POINTSMAN_LIVE_MODEL_NAME` the
 * model there. What is asserted is the record, never the model's wit.
 */
const baseUrl = process.env.POINTSMAN_LIVE_MODEL;
const model = process.env.POINTSMAN_LIVE_MODEL_NAME ?? 'model';
const STEPS = 8;
const HOURS = 2 * 60 * 60_000;
const DIALECTS = ['tools', 'xml', 'backticks'] as const;

(baseUrl ? describe : describe.skip)('with a real model', () => {
  let world: World;
  beforeAll(async () => {
    const live = { provider: 'openai', baseUrl, model, concurrency: 1, contextTokens: 8192, maxOutputTokens: 512 };
    const expert = { dialect: 'tools', turns: [{ thought: 'Done.', tool: 'submit', args: {} }] };
    world = await World.start({
      script: { models: { expert } },
      profiles: {
        expert: {},
        ...Object.fromEntries(DIALECTS.map((dialect) => [dialect, { ...live, view: { dialect } }])),
      },
    });
  });
  afterAll(async () => {
    removeFolders();
    await world?.close();
  });

  test.each(DIALECTS)(
    'a rollout in %s, whose student the expert takes over from where it cannot go on',
    async (student) => {
      const problem = await tinyProblem();
      const handOver = { at: STEPS, on: ['format_exhausted', 'limit_context', 'model_rejected'] };
      const limits = { steps: STEPS + 4 };
      const handle = await world.begin(
        'rollout',
        { problem, student, expert: 'expert', handOver, limits, grade: false },
        student,
      );
      const result = (await handle.result()) as RolloutResult;
      const { turns, lenient = {} } = result;
      const { steps } = await world.transcripts.load(result.head);
      figures(`a real model in ${student}`, {
        turns: turns.student,
        refused: turns.formatRetries,
        readable: turns.student / Math.max(1, turns.student + turns.formatRetries),
        ...lenient,
        ending: `${result.status}, ${result.handOver.reason ?? 'no expert'}`,
        codes: steps.flatMap(({ turn }) => turn.rejected.map(({ error }) => error.code)).join(' ') || 'none',
      });
      expect(ExitStatus.options).toContain(result.status);
      expect(steps).toHaveLength(turns.total);
      expect(steps.filter(({ turn }) => turn.author === 'student')).toHaveLength(turns.student);
      const unread = steps.reduce((sum, { turn }) => sum + turn.rejected.length, 0) + (result.refused?.length ?? 0);
      expect(unread).toBe(turns.formatRetries);
      for (const { turn } of steps) expect(turn.usage.completionTokens).toBeGreaterThan(0);
    },
    HOURS,
  );

  test(
    'a set-up',
    async () => {
      const source = `dir:${folderOf(projectOf('live'), 'live')}`;
      const input = { source, roles: { agent: 'backticks' }, limits: { steps: STEPS }, judge: false, reproduce: false };
      const handle = await world.begin('repoSetup', input, 'setup-live');
      const result = (await handle.result()) as RepoSetupResult;
      const chains = new SetupChains(world.blobs);
      const { steps } = await chains.chain(result.head);
      figures('a real model sets up', { status: result.status, moves: steps.length, refused: result.formatRetries });
      expect(SetupStatus.options).toContain(result.status);
      for (const step of steps) expect(typeof (await chains.output(step))).toBe('string');
    },
    HOURS,
  );
});
