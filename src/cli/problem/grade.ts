import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { GradeInput, type GradeResult, PointsmanError } from '../../contract';
import { type Cli, look } from '../context';
import { runToEnd } from '../follow';
import { reachable } from '../input-file';
import { gradeLines } from '../terminal/grading';

interface GradeFlags {
  readonly patch: string;
  readonly controls: GradeInput['controls'];
}

/** `problem grade`: the verdict on any patch of anyone. */
export function addProblemGrade(problem: Command, cli: Cli): void {
  problem
    .command('grade <problem>')
    .description('does a patch resolve it? Tests with true and with wrong expectations, each in a fresh container')
    .requiredOption('--patch <file>', 'a git patch; - reads standard input')
    .addOption(controlsOption())
    .action(async (source: string, { patch, controls }: GradeFlags) => {
      const named = reachable(source);
      const { id } = cli.problems.resolve(named);
      const result = await runToEnd<GradeResult>(
        cli,
        'grade',
        { problem: named, patch: await cli.blobs.put(patchText(patch)), controls },
        { id: `grade/${id}-${randomBytes(4).toString('hex')}`, note: `grade ${id}` },
      );
      cli.print(result, () =>
        [`${id}: ${result.resolved ? 'resolved' : 'not resolved'}`, ...gradeLines(result, look())].join('\n'),
      );
      if (!result.resolved) process.exitCode = 1;
    });
}

export function controlsOption(): Option {
  return new Option('--controls <how many>', 'tests that are changed one by one and run alone')
    .choices(GradeInput.shape.controls.unwrap().options)
    .default('sample');
}

function patchText(file: string): string {
  if (file === '-') return readFileSync(0, 'utf8');
  if (existsSync(file)) return readFileSync(file, 'utf8');
  throw new PointsmanError('InvalidInput', `--patch: no file ${resolve(file)}`, 'Give the path of a git patch, or -.');
}
