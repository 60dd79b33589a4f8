import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { PointsmanError, type RolloutResult } from '../../contract';
import { isDoubtful } from '../../dataset/losses';
import { type Cli, look } from '../context';
import { runToEnd } from '../follow';
import { findWorkflow } from '../lookup';
import { wholeOption } from '../options';
import { gradeLines } from '../terminal/grading';

interface ReviewFlags {
  readonly model?: string;
  readonly accept?: boolean;
  readonly refuse?: boolean;
  readonly why?: string;
  readonly by?: string;
  readonly invalidFrom?: number;
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
    .option('--invalid-from <turn>', 'this turn and all behind it leave every data set', wholeOption)
    .option('--why <text>', 'the reason, kept with the review')
    .option('--by <name>', 'who says so (default: your account)')
    .action(async (id: string, { accept, refuse, model, why, by, invalidFrom }: ReviewFlags) => {
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
      if (accept || refuse || invalidFrom !== undefined) {
        if (!why) throw new PointsmanError('InvalidInput', 'review: no reason', 'Give it with --why.');
        const at = new Date().toISOString();
        const accepted = accept ?? (refuse ? false : await settled(cli, id, result));
        const invalid = invalidFrom === undefined ? {} : { invalidFrom };
        await cli.reviews.keep(id, { accepted, why, by: by ?? userInfo().username, at, ...invalid });
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
            ? `${review.invalidFrom === undefined ? '' : `invalid from turn ${review.invalidFrom}; `}${review.accepted ? 'accepted' : 'refused'} by ${review.by} on ${review.at.slice(0, 10)}: ${review.why}`
            : 'nobody has reviewed it: pointsman rollout review ID --accept|--refuse --why TEXT, or --model PROFILE',
        ].join('\n'),
      );
    });
}

/** What holds of the verdict itself, where somebody says something of its turns only. */
async function settled(cli: Cli, id: string, result: RolloutResult): Promise<boolean> {
  const before = await cli.reviews.of(id);
  if (before) return before.accepted;
  if (result.grade?.verdict === 'graded' && !isDoubtful({ result })) return true;
  throw new PointsmanError(
    'InvalidInput',
    `the verdict on ${id} is in doubt as well`,
    'Say --accept or --refuse with it.',
  );
}
