import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { look } from '../cli/context';
import { runToEnd } from '../cli/follow';
import { setUpFirst } from '../cli/function-problems/build';
import { provedAgain } from '../cli/function-problems/check';
import { type WrittenBuild, writeBuild } from '../cli/function-problems/folder';
import { readBuild } from '../cli/function-problems/reading';
import { near, temporalCommand } from '../cli/temporal-command';
import { rejectedLines } from '../cli/terminal/function-problems/instance';
import { instanceTable } from '../cli/terminal/function-problems/instances';
import { proofText } from '../cli/terminal/function-problems/proof';
import { share } from '../cli/terminal/function-problems/share';
import type { ShownBuild } from '../cli/terminal/function-problems/shown-build';
import { funnelTable } from '../cli/terminal/functions/funnel';
import { waited } from '../cli/wait';
import {
  type FunctionProblemsInput,
  type FunctionProblemsProgress,
  type FunctionProblemsResult,
  PointsmanError,
  type RolloutResult,
} from '../contract';
import { pointsmanHome } from '../home';
import { Narrator, POINTSMAN } from './narrator';
import { DEMO_QUEUE, SCRIPTED, type Stage, startServices } from './stage';

const SOURCE = 'pypi:inflection==0.5.1';
const SETUP = 'function-problems/demo/setup';
/** The function that the scripted model writes anew. */
const SOLVED = 'inflection.pluralize';
const INPUT = {
  environment: SETUP,
  only: ['inflection.parameterize', SOLVED, 'inflection.titleize'],
  // Stricter than the default, so that a harness is seen to be refused.
  gates: { mutationScore: 0.9 },
  concurrency: 3,
} satisfies Partial<Omit<FunctionProblemsInput, 'gates'>> & { gates: object };

/**
 * From a published package to problems that can be trusted (R2E): harnesses of real calls and of generated inputs, measured
 * by the mutants that they kill, proved by the reference and a stub, and one of them solved by a rollout.
 */
export async function problemsDemo(): Promise<void> {
  const tell = new Narrator();
  tell.title('Function problems made from a repository, proved, and one of them solved');
  tell.say(
    `${SOURCE}, as it is published. The harnesses are made without a model: of calls that its own tests make, and of ` +
      'inputs that hypothesis finds. The model that solves one of the problems at the end is SCRIPTED ' +
      `(${near(SCRIPTED.script)}), because this needs no key; all else is real.`,
  );

  const stage = await startServices(tell, 'Temporal server and a scripted model', SCRIPTED);

  tell.title('2. The environment');
  await tell.step(`${SOURCE} set up until its tests run, judged, built again`, () =>
    setUpFirst(stage.cli, SOURCE, SETUP),
  );

  tell.title('3. The build');
  const build = await builtProblems(stage, tell);

  tell.title('4. Admitted and rejected');
  for (const line of instanceTable(build.instances, look().width).split('\n')) tell.line(line);
  tell.line();
  for (const line of rejectedLines(build.rejected, look().width)) tell.line(line);

  tell.title('5. Proved');
  const out = join(pointsmanHome(), 'demo', 'inflection');
  const written = await writeBuild(stage.cli, build.result, out);
  const proofs = await tell.step('the reference and a stub on each problem, as a model would be judged', () =>
    provedAgain(stage.cli, written.problems),
  );
  for (const line of proofText(proofs, look()).split('\n')) tell.line(`  ${line}`);

  tell.title(`6. ${SOLVED} taken out, and written again by a rollout`);
  const rollout = await solvedBy(stage, tell, written, build);

  tell.title('Where to look');
  const shown = near(out);
  tell.line(`  problems     ${shown}/problems.jsonl (with swebench.jsonl and report.md)`);
  tell.line(`  one of them  ${POINTSMAN} function-problems show ${shown} ${SOLVED}`);
  tell.line(`  the build    ${POINTSMAN} function-problems show ${build.id}`);
  tell.line(`  trajectory   ${POINTSMAN} rollout show ${rollout.id} --full`);
  tell.line(`  in the UI    ${stage.inUi(build.id)}`);
  tell.byHand([temporalCommand('functionProblems', DEMO_QUEUE, 'by-hand', INPUT)]);
  tell.end();
  await stage.cli.close();
  if (!proofs.every(({ proved }) => proved) || !rollout.result.resolved)
    throw new PointsmanError(
      'Unavailable',
      rollout.result.resolved ? 'a problem is not proved' : 'the rollout did not resolve the problem',
      `Look at it: ${POINTSMAN} rollout show ${rollout.id} --full`,
    );
}

type Built = ShownBuild & { readonly result: FunctionProblemsResult };

async function builtProblems(stage: Stage, tell: Narrator): Promise<Built> {
  const id = `function-problems/demo/${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`;
  const handle = await stage.cli.start('functionProblems', INPUT, { id, note: `demo: ${SOURCE}` });
  await waited(stage.cli, handle, {
    follow: `${POINTSMAN} function-problems watch ${id}`,
    everyMs: 250,
    look: storyOf(handle, tell),
  });
  const build = await readBuild(stage.cli, id);
  const { result } = build;
  if (!result || build.instances.length === 0)
    throw new PointsmanError(
      'Unavailable',
      build.trouble ?? 'no function was admitted',
      `Look at it: ${POINTSMAN} function-problems show ${id}`,
    );
  for (const line of funnelTable(result.funnel, look().width).split('\n')) tell.line(`  ${line}`);
  return { ...build, result };
}

/** Tells where the build is whenever that changes. */
function storyOf(handle: WorkflowHandle, tell: Narrator): () => Promise<void> {
  let said = '';
  return async () => {
    const progress = await handle.query<FunctionProblemsProgress>('progress').catch(() => undefined);
    if (!progress) return;
    const { phase, tried, functions, admitted, working } = progress;
    const line = [
      ...[`${phase.toLowerCase()} …`, `${tried} of ${functions} tried, ${admitted} admitted`],
      ...(working.length > 0 ? [`at ${working.join(', ')}`] : []),
    ].join(' · ');
    if (line !== said) tell.glimpse(line);
    said = line;
  };
}

async function solvedBy(
  stage: Stage,
  tell: Narrator,
  { rollouts }: WrittenBuild,
  { instances }: Built,
): Promise<{ id: string; result: RolloutResult }> {
  const at = instances.findIndex(({ subject: { target } }) => `${target.module}.${target.name}` === SOLVED);
  const [instance, problem] = [instances[at], rollouts[at]];
  if (!instance || !problem)
    throw new PointsmanError('Unavailable', `${SOLVED} was not admitted`, 'The table above says why.');
  const { cases, mutationScore } = instance.quality;
  tell.note(`${cases} hidden cases, which kill ${share(mutationScore)} of its mutants`);
  const id = `rollout/${SOLVED}/${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`;
  const input = { problem, expert: 'demo-expert', handOver: { at: 0 } };
  const result = await tell.step(
    'a rollout in a sandbox without the function and without a network',
    () => runToEnd<RolloutResult>(stage.cli, 'rollout', input, { id, note: `demo: ${SOLVED}` }),
    ({ turns, resolved, status }) => `${turns.total} turns, ${resolved ? 'RESOLVED by the hidden cases' : status}`,
  );
  return { id, result };
}
