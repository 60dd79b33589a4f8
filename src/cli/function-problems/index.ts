import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { jsonLines, PointsmanError, TriedFunction } from '../../contract';
import { type BuildTries, buildsReport } from '../../problems/tables/builds-report';
import { quote } from '../../rollout/shell';
import type { Cli } from '../context';
import { addWindowSteering } from '../steer';
import { safeLines } from '../terminal/safe-text';
import { addFunctionProblemsBuild, addFunctionProblemsWatch } from './build';
import { addFunctionProblemsCheck } from './check';
import { printBuildAnswer } from './folder';
import { addFunctionProblemsList } from './list';
import { readBuild } from './reading';
import { addFunctionProblemsShow } from './show';

export function addFunctionProblemsCommands(problems: Command, cli: Cli): void {
  addFunctionProblemsBuild(problems, cli);
  addFunctionProblemsList(problems, cli);
  addFunctionProblemsShow(problems, cli);
  addFunctionProblemsTable(problems, cli);
  addFunctionProblemsWatch(problems, cli);
  addFunctionProblemsExport(problems, cli);
  addFunctionProblemsCheck(problems, cli);
  addWindowSteering(problems, cli, {
    units: 'functions',
    kept: 'problems',
    cancelled: 'nothing is kept',
    show: 'pointsman function-problems show ID',
  });
}

/** `function-problems table`: author × context over several builds. */
function addFunctionProblemsTable(problems: Command, cli: Cli): void {
  problems
    .command('table <from...>')
    .description('compare authors and contexts over builds, each by id or folder')
    .addHelpText('after', '\nBuild with --try-all: otherwise later authors are only asked if earlier ones failed.')
    .action(async (from: string[]) => {
      const builds: BuildTries[] = [];
      for (const each of from) builds.push(await triesOf(cli, each));
      cli.print({ builds }, () => safeLines(buildsReport(builds)).join('\n').trimEnd());
    });
}

/** Of a folder that `--out` wrote, else of a build on the server. */
async function triesOf(cli: Cli, from: string): Promise<BuildTries> {
  if (existsSync(from)) {
    const file = join(resolve(from), 'tried.jsonl');
    if (!existsSync(file)) throw withoutTries(from);
    return { name: basename(resolve(from)), tried: triedIn(readFileSync(file, 'utf8'), file) };
  }
  const { result, status } = await readBuild(cli, from);
  if (!result)
    throw new PointsmanError(
      'NotFound',
      `${from} has no problems yet: it is ${status}`,
      'Its tables are written at the end.',
    );
  if (!result.tries) throw withoutTries(from);
  const text = (await cli.blobs.get(result.tries.sha256)).toString('utf8');
  return { name: from.replace(/^.*\//, ''), tried: triedIn(text, from) };
}

/** Throws `InvalidInput` that names the line. */
function triedIn(text: string, name: string): TriedFunction[] {
  return jsonLines<TriedFunction>(TriedFunction, text, name, 'Export the build again.');
}

function withoutTries(from: string): PointsmanError {
  return new PointsmanError(
    'NotFound',
    `${from} does not say what was tried: it was made by an earlier version`,
    'Build it again, then export it with `pointsman function-problems export ID --out DIR`.',
  );
}

/** `function-problems export`: the files of a build that has ended. */
function addFunctionProblemsExport(problems: Command, cli: Cli): void {
  problems
    .command('export <id>')
    .description('write the problems of a build that has ended into a folder')
    .requiredOption('--out <dir>', 'folder')
    .action(async (id: string, { out }: { out: string }) => {
      const { result, status, trouble } = await readBuild(cli, id);
      if (!result)
        throw new PointsmanError(
          'NotFound',
          `${id} has no problems: it is ${status}${trouble ? ` (${trouble})` : ''}`,
          status === 'running'
            ? `\`pointsman function-problems watch ${quote(id)} --out ${quote(out)}\` waits for it.`
            : '',
        );
      await printBuildAnswer(cli, result, out);
    });
}
