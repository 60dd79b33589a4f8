import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { look } from '../cli/context';
import { readRun } from '../cli/rollout/reading';
import { near, temporalCommand, temporalName } from '../cli/temporal-command';
import { trajectoryText } from '../cli/terminal/trajectory';
import { type Ended, ended, resultOf } from '../cli/wait';
import { PointsmanError, type RolloutInput, type RolloutResult } from '../contract';
import { room } from '../home';
import { rolloutDetails } from '../rollout/summary';
import type { RecentTurn } from '../workflows/rollout/state';
import { Narrator, POINTSMAN } from './narrator';
import { DEMO_QUEUE, SCRIPTED, type Stage, startServices } from './stage';
import { problemFile, provideProblem } from './yamllint-problem';

/** The turn whose command is running when the worker is killed. */
const KILL_AT = 5;

/**
 * The paper's Appendix B on the real project: a student that does not find the place, an expert that takes over the same
 * sandbox, hidden tests of the next release as the judge, and a worker that is killed half-way.
 */
export async function rolloutDemo(): Promise<void> {
  const tell = new Narrator();
  tell.title('An on-policy expert correction that survives a kill');
  tell.say(
    'A real bug: yamllint 1.28.0 refuses a list of patterns in `ignore`; 1.29.0 has the tests for it. Both models are ' +
      `SCRIPTED (${near(SCRIPTED.script)}), because this needs no key. The repository, the sandbox, the tests, the kill and ` +
      'what survives it are real.',
  );

  const stage = await startServices(tell, 'Temporal server and scripted models', SCRIPTED);

  tell.title('2. The problem');
  const problem = await provideProblem(stage, tell);

  tell.title('3. The rollout');
  const { id, result, input, killed } = await runAndKill(stage, tell, problem);

  tell.title('4. The trajectory');
  tell.line(trajectoryText(await readRun(stage.cli, id), look()));

  tell.title('5. What survived');
  tell.say(
    `The worker was killed with SIGKILL while turn ${KILL_AT} ran (pid ${killed.pid}); another one continued after ` +
      `${killed.seconds} s. The command of that turn ran ${killed.times} time; ${result.turns.total} turns, ` +
      `${result.recovered.redoneSteps} of them done twice.`,
  );
  tell.say(`Verdict: ${result.resolved ? 'RESOLVED' : `not resolved (${result.status})`} by the hidden tests.`);

  tell.title('Where to look');
  tell.line(`  trajectory   ${POINTSMAN} rollout show ${id} --full`);
  tell.line(`  in the UI    ${stage.inUi(id)}`);
  tell.line(`  problem      ${near(problemFile())}`);
  tell.line(`  steps        ${near(room('blobs'))}/ (head ${result.head.slice(0, 16)}…)`);
  tell.byHand([
    temporalCommand('rollout', DEMO_QUEUE, 'by-hand', input),
    ...['pause', 'handOver', 'resume'].map(
      (name) => `${temporalName()} workflow update execute --name ${name} --workflow-id by-hand`,
    ),
  ]);
  tell.end();
  await stage.cli.close();
  if (!result.resolved)
    throw new PointsmanError(
      'Unavailable',
      'the rollout did not resolve the problem',
      `Look at it: ${POINTSMAN} rollout show ${id} --full`,
    );
}

interface Shown {
  readonly id: string;
  readonly input: Partial<RolloutInput>;
  readonly result: RolloutResult;
  readonly killed: { pid: number; seconds: string; times: number };
}

async function runAndKill(stage: Stage, tell: Narrator, problem: string): Promise<Shown> {
  const input: Partial<RolloutInput> = { problem, student: 'demo-student', expert: 'demo-expert', handOver: { at: 7 } };
  const id = `rollout/${problem}/${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`;
  const { statement } = stage.cli.problems.resolve(problem);
  const details = rolloutDetails({ id, instance: problem, statement, ...input });
  const handle = await stage.cli.start('rollout', input, { id, note: 'demo: student, then expert', details });
  const story = new Story(handle, tell);
  const follow = `${POINTSMAN} rollout watch ${id}`;
  const ending = ended<RolloutResult>(stage.cli, handle, { follow, everyMs: 100, look: () => story.look() });
  // Whoever waits for it below hears of it.
  ending.catch(() => {});
  await story.reaches(KILL_AT - 1, ending);
  // The command of the next turn sleeps for five seconds before it runs the tests.
  await sleep(2_500);
  const pid = stage.killWorker();
  const since = performance.now();
  tell.event(`worker ${pid} killed with SIGKILL while turn ${KILL_AT} runs in the sandbox`);
  await stage.startWorker();
  await story.reaches(KILL_AT, ending);
  const seconds = ((performance.now() - since) / 1000).toFixed(1);
  tell.event(
    `another worker took the turn over: the command had kept running, and its output was read instead of running it again`,
  );
  const result = resultOf(await ending);
  const { steps } = await stage.cli.transcripts.load(result.head);
  const times = steps[KILL_AT - 1]?.observation.match(/^pass 1$/gm)?.length ?? 0;
  return { id, input, result, killed: { pid, seconds, times } };
}

/** Tells of each turn as it comes. */
class Story {
  private told = 0;
  private waiting: { readonly turn: number; done(): void } | undefined;

  constructor(
    private readonly handle: WorkflowHandle,
    private readonly tell: Narrator,
  ) {}

  async look(): Promise<void> {
    // A query waits for a worker; while there is none, asking again is all there is to do.
    const asked = this.handle.query<{ recent: readonly RecentTurn[] }>('transcript');
    const transcript = await asked.catch(() => undefined);
    for (const each of transcript?.recent ?? []) {
      if (each.turn <= this.told) continue;
      this.told = each.turn;
      this.tell.glimpse(`turn ${String(each.turn).padStart(2)} · ${each.author} · ${each.action}`);
    }
    if (this.waiting && this.told >= this.waiting.turn) this.waiting.done();
  }

  /** Until that turn is done. Throws what the rollout failed with, or that it ended before. */
  async reaches(turn: number, ending: Promise<Ended<RolloutResult>>): Promise<void> {
    if (this.told >= turn) return;
    const there = new Promise<undefined>((done) => {
      this.waiting = { turn, done: () => done(undefined) };
    });
    const early = await Promise.race([there, ending]);
    if (!early) return;
    const { status } = resultOf(early);
    throw new PointsmanError(
      'Unavailable',
      `the rollout ended (${status}) after turn ${this.told}, before turn ${turn}`,
      `Look at it: ${POINTSMAN} rollout show ${this.handle.workflowId} --full`,
    );
  }
}
