import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { type Fork, PointsmanError, type Ref, type RolloutProgress } from '../../contract';
import type { Deps } from '../../deps';
import { withHeartbeat } from '../heartbeat';

export interface Prefix {
  readonly head: string;
  readonly steps: number;
}

export function createTranscriptActivities(deps: Deps) {
  const { transcripts, problems } = deps;
  return {
    /** Writes the chain's first link. Retry-safe: the same opening is the same blob. */
    async openTranscript({ problem: ref }: { problem: Ref }): Promise<Prefix> {
      return withHeartbeat(async () => {
        const problem = await problems.kept(ref);
        const head = await transcripts.open({
          kind: 'opening',
          problemId: problem.id,
          statement: problem.statement,
          workdir: problem.workdir,
        });
        return { head, steps: 0 };
      });
    },

    /** The head of another run's chain after its first `step` steps, whether that run has ended or goes on. Reads only. */
    async forkTranscript({ fork, problem: ref }: { fork: Fork; problem: Ref }): Promise<Prefix> {
      return withHeartbeat(async () => {
        const progress = await Context.current()
          .client.workflow.getHandle(fork.run)
          .query<RolloutProgress>('progress')
          .catch((error: unknown) => {
            if (!(error instanceof WorkflowNotFoundError)) throw error;
            throw new PointsmanError(
              'InvalidInput',
              `fork.run: there is no run "${fork.run}"`,
              '`pointsman rollout list` shows those there are.',
            );
          });
        if (!progress.head)
          throw new PointsmanError(
            'InvalidInput',
            `fork.run: ${fork.run} has made no step yet`,
            'Wait for its first step.',
          );
        const { opening, steps, hashes } = await transcripts.chain(progress.head);
        const problem = await problems.kept(ref);
        if (opening.problemId !== problem.id) {
          throw new PointsmanError(
            'InvalidInput',
            `fork.run: ${fork.run} works on ${opening.problemId}, not on ${problem.id}`,
            'Fork a run of the same problem.',
          );
        }
        if (fork.step > steps.length) {
          throw new PointsmanError(
            'InvalidInput',
            `fork.step: the run ${fork.run} has ${steps.length} steps (found ${fork.step})`,
            'Give a step that exists.',
          );
        }
        const at = fork.step === 0 ? (steps[0]?.parent ?? progress.head) : hashes[fork.step - 1]!;
        return { head: at, steps: fork.step };
      });
    },
  };
}
