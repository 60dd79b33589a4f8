import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createGradingActivities } from '../../src/activities/problems/grading';
import { createProblemActivities } from '../../src/activities/problems/problem';
import { type ProblemCheckResult, ProblemInitInput, type Ref } from '../../src/contract';
import type { Deps } from '../../src/deps';
import { openSandboxes } from '../../src/sandbox';
import type { Owner } from '../../src/sandbox/labels';
import { FileBlobs } from '../../src/store/local/blobs';
import { Problems } from '../../src/store/problems';

/** Refusals are what these tests are about: a warning of each would bury the failures. */
const QUIET = new DefaultLogger('ERROR');

/** The activities of problems and grading on a real engine and a real store, without a Temporal server. */
export function openBench() {
  const home = mkdtempSync(join(tmpdir(), 'pointsman-bench-'));
  const sandboxes = openSandboxes('test');
  const blobs = new FileBlobs(join(home, 'blobs'));
  const problems = new Problems(join(home, 'problems'), blobs);
  const deps = { sandboxes, blobs, problems, env: process.env } as unknown as Deps;
  const problem = createProblemActivities(deps);
  const grading = createGradingActivities(deps);
  const owner: Owner = { workflowId: `bench-${randomUUID()}`, firstRunId: randomUUID() };
  const run = <A extends unknown[], R>(activity: (...args: A) => Promise<R>, ...args: A): Promise<R> =>
    new MockActivityEnvironment({}, { logger: QUIET }).run(activity, ...args);

  async function grade(ref: Ref, patch: string, role = 'grade') {
    return run(grading.gradePatch, { owner, problem: ref, patch: await blobs.put(patch), role });
  }

  /** What the workflows `problemInit` and `problemCheck` do, in the same order. */
  async function init(raw: ProblemInitInput): Promise<{ ref: Ref; check: ProblemCheckResult; image: string }> {
    const input = ProblemInitInput.parse(raw);
    const environment = await run(problem.buildProblemImage, { owner, input });
    const draft = await run(problem.draftProblem, { owner, input, environment });
    const check = await checkRef(draft.problem, input.runs);
    const { problem: ref } = await problem.finishProblem({ problem: draft.problem, check });
    return { ref, check, image: environment.image };
  }

  async function checkRef(ref: Ref, runs = 2): Promise<ProblemCheckResult> {
    const { patch } = await problem.goldPatch({ problem: ref });
    const gold = (await blobs.get(patch.sha256)).toString('utf8');
    const noop = await grade(ref, '', 'check-noop');
    const grades = [];
    for (let at = 0; at < runs; at++) grades.push(await grade(ref, gold, `check-gold-${at}`));
    return run(grading.compareGrades, { problem: ref, noop, gold: grades });
  }

  async function close(): Promise<void> {
    await sandboxes.removeAll(owner.firstRunId);
    sandboxes.close();
  }

  return { deps, blobs, problems, problem, grading, owner, run, grade, init, check: checkRef, close };
}
