import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createProblemActivities } from '../../src/activities/problems/problem';
import type {
  GradeInput,
  GradeResult,
  ProblemCheckResult,
  ProblemInitResult,
  ProblemSource,
  Ref,
  TestLists,
} from '../../src/contract';
import type { Deps } from '../../src/deps';
import { Roots } from '../../src/roots';
import { openSandboxes } from '../../src/sandbox';
import type { Owner } from '../../src/sandbox/labels';
import { fileDocuments } from '../../src/store/local/rows';
import { Problems } from '../../src/store/problems';
import { World } from '../support/world';

/** Refusals are what these tests are about: a warning of each would bury the failures. */
const QUIET = new DefaultLogger('ERROR');

/** Problems made, checked and graded by the workflows themselves, for the suite that asks for it. */
export class Bench {
  readonly owner: Owner = { workflowId: `bench-${randomUUID()}`, firstRunId: randomUUID() };
  readonly sandboxes = openSandboxes('test');
  private world!: World;

  constructor() {
    beforeAll(async () => {
      this.world = await World.start({ script: { models: {} }, profiles: {} });
    });
    afterAll(async () => {
      await this.sandboxes.removeAll(this.owner.firstRunId);
      this.sandboxes.close();
      await this.world?.close();
    });
  }

  get blobs() {
    return this.world.blobs;
  }

  get problems(): Problems {
    return new Problems(join(this.world.home, 'problems'), this.blobs, fileDocuments(this.world.home, 'controls'));
  }

  /** The activities of problems, where no workflow is asked. */
  get activities() {
    const { sandboxes, blobs, problems } = this;
    return createProblemActivities({
      sandboxes,
      blobs,
      problems,
      env: process.env,
      roots: Roots.any,
      imageRoad: 'none',
    } as unknown as Deps);
  }

  run<A extends unknown[], R>(activity: (...args: A) => Promise<R>, ...args: A): Promise<R> {
    return new MockActivityEnvironment({}, { logger: QUIET }).run(activity, ...args);
  }

  async init(input: object): Promise<{ ref: Ref; check: Listed; image: string }> {
    const { problem, check, image } = await this.workflow<ProblemInitResult>('problemInit', input);
    return { ref: problem, check: await this.listed(check), image };
  }

  async check(problem: ProblemSource): Promise<Listed> {
    return this.listed(await this.workflow<ProblemCheckResult>('problemCheck', { problem }));
  }

  grade(problem: ProblemSource, patch: string, controls: GradeInput['controls'] = 'sample'): Promise<GradeResult> {
    return this.workflow('grade', { problem, patch, controls });
  }

  /** What a run kept as a blob of JSON. */
  async json<T>(ref: Ref): Promise<T> {
    return JSON.parse((await this.blobs.get(ref.sha256)).toString('utf8')) as T;
  }

  private async listed(check: ProblemCheckResult): Promise<Listed> {
    return { ...check, ...(await this.json<TestLists>(check.lists)) };
  }

  private async workflow<T>(type: string, input: unknown): Promise<T> {
    const handle = await this.world.begin(type, input, `${type}/${randomUUID()}`);
    return (await handle.result()) as T;
  }
}

/** A check with the lists themselves. */
type Listed = Omit<ProblemCheckResult, keyof TestLists> & TestLists;
