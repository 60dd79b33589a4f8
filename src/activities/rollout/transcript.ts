import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { z } from 'zod';
import {
  type Fork,
  ImportedTurn,
  type ImportedWork,
  PointsmanError,
  parseInput,
  type Ref,
  type RolloutProgress,
  type Turn,
} from '../../contract';
import type { Deps } from '../../deps';
import { DIALECTS } from '../../rollout/dialects';
import { rawReply } from '../../rollout/dialects/dialect';
import { withHeartbeat } from '../heartbeat';

export interface Prefix {
  readonly head: string;
  readonly steps: number;
}

export function createTranscriptActivities(deps: Deps) {
  const { transcripts, problems, blobs } = deps;
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

    /**
     * Appends what an agent elsewhere did, in the dialect of native calls. What it met in its sandbox nobody here has seen:
     * the steps have no workspace. Retry-safe: the same turns are the same blobs.
     */
    async appendImported(input: {
      readonly head: string;
      readonly profile: string;
      readonly work: ImportedWork;
    }): Promise<Prefix & { readonly tokens: number }> {
      return withHeartbeat(async () => {
        const { profile, work } = input;
        const bytes = await blobs.get(work.turns.sha256);
        const turns = parseInput(z.array(ImportedTurn), JSON.parse(bytes.toString('utf8')), 'imported.turns');
        const { steps: before } = await transcripts.chain(input.head);
        let head = input.head;
        let tokens = 0;
        for (const [at, made] of turns.entries()) {
          const turn = importedTurn(made, { turn: before.length + at + 1, profile, agent: work.agent });
          tokens += turn.usage.promptTokens + turn.usage.completionTokens;
          head = await transcripts.append({
            kind: 'step',
            parent: head,
            turn,
            workspace: null,
            job: `imported-${turn.turn}`,
            observation: {
              text: await blobs.put(made.observation),
              exitCode: null,
              timedOutAfter: null,
              elidedBytes: 0,
            },
          });
        }
        return { head, steps: turns.length, tokens };
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

function importedTurn(
  { thought, reasoning, tool, args, model, promptTokens, completionTokens }: ImportedTurn,
  by: Pick<Turn, 'turn' | 'profile' | 'agent'>,
): Turn {
  const said = { turn: by.turn, thought, action: { tool, args } };
  const { message, faithful } = DIALECTS.tools.renderTurn(said);
  return {
    kind: 'turn',
    ...said,
    ...by,
    author: 'expert',
    model,
    dialect: 'tools',
    reply: rawReply(message),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(faithful ? {} : { unfaithful: true }),
    rejected: [],
    usage: { promptTokens, completionTokens, cachedTokens: 0, costUsd: 0 },
  };
}
