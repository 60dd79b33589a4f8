import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { type GradeInput, type GradeResult, PointsmanError, type RolloutResult } from '../../contract';
import { inputOf } from '../../store/history';
import { type Cli, look } from '../context';
import { runToEnd } from '../follow';
import { findWorkflow } from '../lookup';
import { controlsOption } from '../problem/grade';
import { gradeLines } from '../terminal/grading';

/** `rollout regrade`: the verdict on a rollout's patch once more, as of the problem's tests today. */
export function addRegrade(rollout: Command, cli: Cli): void {
  rollout
    .command('regrade <id>')
    .description('grade its patch again; what was said before stays, and is said beside it')
    .addOption(controlsOption())
    .action(async (id: string, { controls }: { controls: GradeInput['controls'] }) => {
      const { handle, result } = await findWorkflow<unknown, RolloutResult>(cli, id, 'rollout');
      const patch = result?.patch;
      if (!result || !patch)
        throw new PointsmanError(
          'InvalidInput',
          `${id} has no patch yet`,
          'Wait until it ends: `pointsman rollout watch`.',
        );
      const { problem } = (await inputOf(handle)) as { problem: GradeInput['problem'] };
      const grade = await runToEnd<GradeResult>(
        cli,
        'grade',
        { problem, patch, controls },
        { id: `${id}/regrade-${randomBytes(4).toString('hex')}`, note: `grade ${id} again` },
      );
      const before = result.grade && { resolved: result.grade.resolved, verdict: result.grade.verdict };
      cli.print({ ...grade, before }, () =>
        [
          `${id}: ${word(grade)}${before ? `, before: ${word(before)}` : ', not graded before'}`,
          ...gradeLines(grade, look()),
        ].join('\n'),
      );
      if (!grade.resolved) process.exitCode = 1;
    });
}

const word = ({ resolved, verdict }: Pick<GradeResult, 'resolved' | 'verdict'>) =>
  `${resolved ? 'resolved' : 'not resolved'} (${verdict.replaceAll('_', ' ')})`;
