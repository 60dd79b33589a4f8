import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { look } from '../cli/context';
import { exportSetup, testsText } from '../cli/setup/export';
import { readSetup } from '../cli/setup/reading';
import { near, temporalCommand } from '../cli/temporal-command';
import { frameTree, trialLines } from '../cli/terminal/setup/header';
import { waited } from '../cli/wait';
import { PointsmanError, type RepoSetupResult, type SetupProgress } from '../contract';
import { pointsmanHome, room } from '../home';
import { countsLine } from '../setup/counts-line';
import type { RecentStep } from '../workflows/setup/state';
import { Narrator, POINTSMAN } from './narrator';
import { DEMO_QUEUE, type Stage, startServices } from './stage';

const SOURCE = 'pypi:pymemcache==4.0.0';
const INPUT = { source: SOURCE, family: { services: [{ name: 'memcached' }] } };

/**
 * A real repository whose tests need more than its documentation says: each fix uncovers the next error, a unit of
 * experience is tried and taken back, a verifier, a prosecutor and a judge look at the end, and the engine builds the Dockerfile from
 * nothing but the base image.
 */
export async function setupDemo(): Promise<void> {
  const tell = new Narrator();
  tell.title('A repository set up with experience, judged, and built again');
  tell.say(
    `${SOURCE}: pinned test requirements that no longer build, and a service that its tests talk to. No model takes ` +
      'part: the agent is `builtin:playbook`, verifier, prosecutor and judge are `builtin:rules`. The units of experience ' +
      'are those that come with Pointsman; with a key, each role can be a model.',
  );

  const stage = await startServices(tell, 'Temporal server');

  tell.title('2. The set-up');
  const id = `setup/pymemcache/${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`;
  const handle = await stage.cli.start('repoSetup', INPUT, { id, note: `demo: ${SOURCE}` });
  const result = await waited<RepoSetupResult>(stage.cli, handle, {
    follow: `${POINTSMAN} setup watch ${id}`,
    everyMs: 250,
    look: storyOf(handle, tell),
  });

  tell.title('3. Frames and trials');
  for (const line of frameTree(result.frames, look())) tell.line(`  ${line}`);
  tell.line();
  for (const line of trialLines(result.units, look())) tell.line(`  ${line}`);

  tell.title('4. Three opinions');
  const { tests, verifier, verdict } = result;
  tell.line(`  the agent says   ${result.selfClaim ? 'it works' : 'it does not work'}`);
  tell.line(`  the verifier     ${verifier?.success ? 'passed' : 'not passed'} (${countsLine(tests)})`);
  tell.line(
    `  the verdict      ${verdict?.verdict.replace('_', ' ') ?? 'none'} (${verdict?.charges.length ?? 0} charges)`,
  );
  tell.line(
    `  built again      ${result.reproduced ? 'from the base image by the script alone: the same counts' : `no: ${result.reproducedDetail ?? result.detail ?? ''}`}`,
  );

  if (result.dockerfile) await buildDockerfile(stage, tell, id);

  tell.title('Where to look');
  const run = await readSetup(stage.cli, id);
  tell.line(`  everything   ${POINTSMAN} setup show ${id} --full`);
  tell.line(`  Dockerfile   ${POINTSMAN} setup show ${id} --dockerfile   (and --script, --lock)`);
  tell.line(`  in the UI    ${stage.inUi(id)}`);
  if (result.image) tell.line(`  image        docker run --rm -it ${result.image} bash`);
  tell.line(`  steps        ${near(room('blobs'))}/ (head ${(run.head ?? '').slice(0, 16)}…)`);
  tell.byHand([temporalCommand('repoSetup', DEMO_QUEUE, 'by-hand', INPUT)]);
  tell.end();
  await stage.cli.close();
  if (result.status !== 'verified' || verdict?.verdict !== 'not_guilty')
    throw new PointsmanError(
      'Unavailable',
      `the set-up ended ${result.status}, verdict ${verdict?.verdict ?? 'none'}: ${result.detail ?? ''}`,
      `Look at it: ${POINTSMAN} setup show ${id} --full`,
    );
}

/** What the set-up wrote down, built by the engine itself, and the same tests in what comes out. */
async function buildDockerfile({ cli }: Stage, tell: Narrator, id: string): Promise<void> {
  tell.title('5. The Dockerfile');
  const out = join(pointsmanHome(), 'demo', 'pymemcache');
  rmSync(out, { recursive: true, force: true });
  const { image, folder, tests } = await tell.step(
    'built by the engine from the base image, and tested without a network',
    () => exportSetup(cli, id, { out, build: 'pointsman/demo:pymemcache', runTests: true }, () => {}),
    (exported) => (exported.tests ? testsText(exported.tests) : ''),
  );
  tell.line(`    folder  ${near(folder)}/`);
  tell.line(`    image   ${image}`);
  if (!tests?.same)
    throw new PointsmanError(
      'Unavailable',
      `what the engine built is not what was verified: ${tests?.detail ?? ''}`,
      `Build it by hand: docker build ${near(folder)}`,
    );
}

/** Tells of each step as it comes, of what stands in the way and of what memory offers. */
function storyOf(handle: WorkflowHandle, tell: Narrator): () => Promise<void> {
  let told = 0;
  let phase = '';
  let error = '';
  return async () => {
    const progress = await handle.query<SetupProgress>('progress').catch(() => undefined);
    const transcript = await handle.query<{ recent: readonly RecentStep[] }>('transcript').catch(() => undefined);
    for (const each of transcript?.recent ?? []) {
      if (each.turn <= told) continue;
      told = each.turn;
      const end = each.undone ? 'rolled back' : `exit ${each.exitCode ?? '-'}`;
      tell.glimpse(`turn ${String(each.turn).padStart(2)} · ${end} · ${each.line}`);
    }
    if (progress && progress.error !== error) {
      error = progress.error;
      if (error) tell.event(`error: ${error}`);
    }
    if (progress && progress.phase !== phase) {
      phase = progress.phase;
      if (!['Setting up', 'Starting', 'Done'].includes(phase)) tell.note(`${phase.toLowerCase()} …`);
    }
  };
}
