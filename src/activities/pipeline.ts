import { openPython } from '@pointsman/python';
import { Context } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { Problem, type ProblemSource, parseInput, type Ref } from '../contract';
import type { Deps } from '../deps';
import { pytestBundle } from '../environments/harness/pytest-bundle';
import { rolloutProblem } from '../problems/tables/rollout-problem';
import { instancesIn } from '../store/instances';
import { withHeartbeat } from './heartbeat';

export function createPipelineActivities({ blobs, problems }: Deps) {
  return {
    /**
     * Waits for a workflow and gives its result; `ended` is false where it has none. Asks the server only: a retry asks
     * again.
     */
    async resultOf({ id }: { id: string }): Promise<{ ended: boolean; result?: unknown }> {
      return withHeartbeat(async (signal) => {
        const handle = Context.current().client.workflow.getHandle(id);
        const cancelled = new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
        try {
          return { ended: true, result: await Promise.race([handle.result(), cancelled]) };
        } catch (error) {
          if (error instanceof WorkflowFailedError) return { ended: false };
          throw error;
        }
      });
    },

    /**
     * One list of problems for a campaign: those that builds admitted, as problems for agents, and those from elsewhere.
     * Throws `InvalidInput` for a problem that cannot be read. Retry-safe: it reads, and writes content-addressed blobs.
     */
    async gatherProblems(input: {
      builds: readonly Ref[];
      problems: readonly ProblemSource[];
    }): Promise<{ problems: Ref; count: number }> {
      return withHeartbeat(async (signal) => {
        const kept: Ref[] = [];
        const python = await openPython();
        for (const build of input.builds) {
          const text = (await blobs.get(build.sha256)).toString('utf8');
          for (const instance of instancesIn(text, 'problems.jsonl')) {
            signal.throwIfAborted();
            const options = { moduleText: instance.moduleText, bundle: pytestBundle() };
            kept.push(await problems.keep(rolloutProblem(python, instance, options)));
          }
        }
        for (const source of input.problems)
          kept.push(await problems.keep(parseInput(Problem, await problems.find(source), 'problem')));
        const list = kept.map((ref) => `${JSON.stringify(ref)}\n`).join('');
        return { problems: await blobs.put(list), count: kept.length };
      });
    },
  };
}
