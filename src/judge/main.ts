import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GradeResult, Problem } from '../contract';
import { type GradingLab, type GradingSubject, planGrading, runGrading } from '../environments/grading/grade';
import { type Court, judged } from '../grading/judgement';
import { rewardsOf } from '../grading/reward';
import type { Guest } from '../sandbox/sandbox';
import { FileBlobs } from '../store/local/blobs';
import { Ground, Spoiled } from './ground';
import { endAllBut, processes } from './processes';
import { execHere, readHere, writeHere } from './sandbox';

/**
 * The judge as one program, for containers of others (`problem export`): `node judge.cjs PATCH LOGS`. Beside it lie
 * `problem.json` and, where its tests have wrong expectations, `controls.json`. It runs the tests in this container again and
 * again, each time from the same beginning (`Ground`), and writes `reward.json` and `verdict.json` into LOGS. Where it cannot
 * judge it writes neither and ends with 1: an outage is no reward of 0.
 */
async function main([patchPath, logs]: readonly string[]): Promise<void> {
  if (patchPath === undefined || logs === undefined) throw new Error('usage: judge.cjs PATCH LOGS');
  const spared = processes();
  const home = __dirname;
  const read = (name: string) => readFileSync(join(home, name), 'utf8');
  const problem: Problem = JSON.parse(read('problem.json'));
  const controls = existsSync(join(home, 'controls.json')) ? read('controls.json') : undefined;
  const patch = readFileSync(patchPath, 'utf8');
  rmSync(patchPath);
  const hidden: [string, string] = [home, logs];
  const ground = new Ground(problem.workdir, hidden);
  // Where a candidate ends the judge this is what stands.
  write(logs, new Spoiled('the judge was ended before it had judged'));
  const blobs = new FileBlobs(join(home, 'blobs'));
  mkdirSync(blobs.root);
  let used = false;
  const fresh = async () => {
    await endAllBut(spared);
    if (!used) return;
    ground.putBack();
    await execHere({ command: '! command -v ipcrm > /dev/null || ipcrm --all', timeoutMs: 60_000 });
    used = false;
  };
  const here: Guest = {
    exec: execHere,
    write: async (files) => writeHere(files, hidden),
    read: async (path, most) => readHere(path, most),
    assertAlive: async () => {},
  };
  const lab: GradingLab = {
    blobs,
    problems: { kept: async () => problem },
    image: async () => problem.image,
    sandboxes: {
      remove: fresh,
      async claim() {
        used = true;
        return here;
      },
    },
  };
  const subject: GradingSubject = {
    owner: { workflowId: 'judge', firstRunId: 'judge' },
    problem: await blobs.put('problem'),
    patch: await blobs.put(patch),
    controls: controls === undefined ? null : await blobs.put(controls),
    seed: randomUUID(),
  };
  const { signal } = new AbortController();
  const court: Court = {
    run: async (run, name) => {
      console.log(`▸ ${name}`);
      return runGrading(lab, { ...subject, run, role: 'here' }, signal);
    },
    // There is one container, and so one run at a time.
    async each(runs, work) {
      for (const run of runs) await work(run);
    },
    now: () => performance.now(),
  };
  let verdict: GradeResult | Spoiled;
  try {
    const plan = await planGrading(lab, { ...subject, which: controls === undefined ? 'none' : 'sample' });
    verdict = await judged(plan, controls !== undefined, court);
  } catch (error) {
    if (!(error instanceof Spoiled)) {
      // An outage: nothing is said of the candidate.
      for (const name of WRITTEN) rmSync(join(logs, name), { force: true });
      throw error;
    }
    verdict = error;
  }
  await endAllBut(spared);
  ground.reveal(logs);
  write(logs, verdict);
  console.log(wordOf(verdict));
}

const WRITTEN = ['reward.txt', 'reward.json', 'verdict.json'];

function wordOf(verdict: GradeResult | Spoiled): string {
  if (verdict instanceof Spoiled) return `tampered: ${verdict.message}`;
  const { resolved, verdict: kind, detail } = verdict;
  return `${kind}: ${resolved ? 'resolved' : 'not resolved'}${detail === undefined ? '' : ` (${detail})`}`;
}

/** What Harbor reads, in the place of whatever is there. */
function write(logs: string, verdict: GradeResult | Spoiled): void {
  const spoiled = verdict instanceof Spoiled;
  const said = spoiled ? { resolved: false, verdict: 'tampered', detail: verdict.message } : verdict;
  for (const name of WRITTEN) rmSync(join(logs, name), { recursive: true, force: true });
  writeFileSync(join(logs, 'verdict.json'), `${JSON.stringify(said, null, 2)}\n`);
  writeFileSync(join(logs, 'reward.json'), `${JSON.stringify(rewardsOf(spoiled ? undefined : verdict))}\n`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
