import type { Command } from 'commander';
import { PointsmanError, type Rejected } from '../../contract';
import type { ShownRun } from '../../pages/shown-run';
import { replyText } from '../../rollout/summary';
import { type Cli, look } from '../context';
import { exitAs } from '../lookup';
import { wholeOption } from '../options';
import { trajectoryText } from '../terminal/trajectory';
import { readRun } from './reading';

/** `rollout show`: a trajectory as a person reads it, running or ended. */
export function addShow(rollout: Command, cli: Cli): void {
  rollout
    .command('show <id>')
    .description('print a trajectory, by workflow id or by the hash of its head')
    .option('--full', 'nothing folded')
    .option('--turn <n>', 'that turn only', wholeOption)
    .action(async (id: string, { full, turn }: { full?: boolean; turn?: number }) => {
      const run = await readRun(cli, id);
      if (turn !== undefined && !run.steps.some((step) => step.turn.turn === turn)) {
        throw new PointsmanError(
          'NotFound',
          `${id} has no turn ${turn} (it has ${run.steps.length})`,
          'Turns count from 1.',
        );
      }
      cli.print(asData(run, turn), () => trajectoryText(run, look(full), turn));
      exitAs(run.status);
    });
}

/** The same for programs: observations whole, raw replies left to the blobs. */
function asData({ steps, result, refused: unread, links, ...run }: ShownRun, only?: number) {
  return {
    ...run,
    result: result ?? null,
    refused: (unread ?? []).map(refused),
    turns: steps
      .filter(({ turn }) => only === undefined || turn.turn === only)
      .map(({ turn, hash, observation, exitCode, timedOutAfter, elidedBytes, durationMs, redone }) => ({
        turn: turn.turn,
        author: turn.author,
        profile: turn.profile,
        model: turn.model,
        ...(turn.person === undefined ? {} : { person: turn.person }),
        dialect: turn.dialect,
        thought: turn.thought,
        action: turn.action,
        ...(turn.reasoning ? { reasoning: turn.reasoning } : {}),
        ...(turn.lenient ? { lenient: turn.lenient } : {}),
        rejected: turn.rejected.map(refused),
        observation,
        exitCode,
        timedOutAfter,
        elidedBytes,
        durationMs: durationMs ?? null,
        redone: redone ?? 0,
        usage: turn.usage,
        step: hash,
      })),
    links: Object.fromEntries(links),
  };
}

function refused({ author, error, reply }: Rejected) {
  return { ...(author ? { author } : {}), code: error.code, reply: replyText(reply) };
}
