import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { PointsmanError, type RolloutResult } from '../../contract';
import { type Cli, look } from '../context';
import { runToEnd } from '../follow';
import { findWorkflow } from '../lookup';
import { gradeLines } from '../terminal/grading';

interface ReviewFlags {
  readonly model?: string;
  readonly accept?: boolean;
  readonly refuse?: boolean;
  readonly why?: string;
  readonly by?: string;
}

/** `rollout review`: settles a doubtful verdict, so that a data set takes the row, or leaves it out for good. */
export function addReview(rollout: Command, cli: Cli): void {
  rollout
    .command('review <id>')
    .description(
      'settle a verdict that is in doubt; without --accept or --refuse, show what is doubtful and what was said',
    )
    .option('--accept', 'data sets take it')
    .option('--refuse', 'data sets leave it out')
    .option('--model <profile>', 'ask this model, which says why')
    .option('--why <text>', 'the reason, kept with the review')
    .option('--by <name>', 'who says so (default: your account)')
    .action(async (id: string, { accept, refuse, model, why, by }: ReviewFlags) => {
      const { result } = await findWorkflow<unknown, RolloutResult>(cli, id, 'rollout');
      if (!result?.grade)
        throw new PointsmanError(
          'InvalidInput',
          `${id} has no verdict`,
          'Only a rollout that was graded can be reviewed.',
        );
      if ([accept, refuse, model].filter(Boolean).length > 1) {
        throw new PointsmanError('InvalidInput', 'review: more than one of --accept, --refuse, --model', 'Give one.');
      }
      if (accept || refuse) {
        if (!why) throw new PointsmanError('InvalidInput', 'review: no reason', 'Give it with --why.');
        const at = new Date().toISOString();
        await cli.reviews.keep(id, { accepted: accept === true, why, by: by ?? userInfo().username, at });
      }
      if (model !== undefined) {
        await runToEnd(
          cli,
          'rolloutReview',
          { rollout: id, reviewer: model },
          { id: `${id}/review`, note: `review ${id}` },
        );
      }
      const review = await cli.reviews.of(id);
      cli.print({ id, suspicion: result.grade.suspicion, verdict: result.grade.verdict, review: review ?? null }, () =>
        [
          ...gradeLines(result.grade!, look()),
          review
            ? `${review.accepted ? 'accepted' : 'refused'} by ${review.by} on ${review.at.slice(0, 10)}: ${review.why}`
            : 'nobody has reviewed it: pointsman rollout review ID --accept|--refuse --why TEXT, or --model PROFILE',
        ].join('\n'),
      );
    });
}
