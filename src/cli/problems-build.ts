import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import type { Cli } from './context';
import { resultIfAwaited, watchCommand } from './follow';
import { readInput } from './input-file';
import { wholeOption } from './options';
import { printBuildAnswer } from './problems-answer';
import { attemptsOption, type BuildFlags, buildInput, groundOf, profilesIn } from './problems-input';
import { setUpFirst } from './problems-setup';
import { followBuild } from './problems-watch';
import { SOURCES_HELP } from './setup-start';
import {
  addInputOption,
  addOutOption,
  addStartOptions,
  assertOutWaits,
  type OutFlags,
  warnOfProfiles,
} from './start-options';

type Flags = BuildFlags & OutFlags;

/** Exit code of `--wait` for a build that admitted no function. */
const NO_PROBLEM = 3;

/** `problems build`: from an environment, or from a source that is set up first, to function problems. */
export function addProblemsBuild(problems: Command, cli: Cli): void {
  const command = problems.command('build').description('make problems of the functions of a repository');
  addInputOption(command)
    .option('--source <source>', 'repository, set up first; see below')
    .option('--setup <id>', 'what a finished set-up left')
    .option('--image <image>', 'any image with it installed; --source is for the record')
    .option('--workdir <path>', 'the repository in the image (default: /repo)')
    .option('--test <command>', 'runs its own tests: calls are recorded from them')
    .option('--python <path>', 'interpreter in the image, where it is not python3')
    .option('--only <name...>', 'these functions, by dotted name')
    .option('--filters <file>', 'table of filters, like examples/function-filters.yaml')
    .option('--attempts <list>', 'AUTHOR[:CONTEXT[:MODE]],… in order, see below', attemptsOption)
    .option('--repairs <n>', 'times that a model may mend its harness', wholeOption)
    .option('--try-all', 'try every author and keep the best')
    .option('--refiner <name>', 'profile that rewrites docstrings (builtin:types)')
    .option('--max-functions <n>', 'functions tried at most', wholeOption)
    .option('--cases <n>', 'cases of one harness at most', wholeOption)
    .option('--parallel <n>', 'functions at once (default: 2)', wholeOption)
    .option('--coverage <share>', 'branches to cover, like 0.8 or 80%', shareOption)
    .option('--mutation <share>', 'mutants to kill, like 0.6 or 60%', shareOption)
    .option('--seed <n>', 'of inputs, mutants and repeats', wholeOption);
  addOutOption(addStartOptions(command), 'the problems')
    .addHelpText(
      'after',
      `${SOURCES_HELP}

Authors: builtin:recorded-calls (the repository's own tests), and
builtin:hypothesis (generated inputs); or a model profile, with a context
(naive, full, sliced) and a mode (equivalence, prediction).

Exit code of --wait and --watch: 0 there are problems, 3 none was admitted,
1 an error.`,
    )
    .action((flags: Flags) => build(cli, flags));
}

async function build(cli: Cli, { input: file, id: given, wait, watch, out, ...flags }: Flags): Promise<void> {
  assertOutWaits({ wait, watch, out }, 'problems');
  const written = file ? readInput(file) : {};
  const ground = groundOf(written, flags);
  const id = given ?? `problems/${ground.label}-${randomBytes(4).toString('hex')}`;
  const input = buildInput(written, 'environment' in ground ? ground.environment : `${id}/setup`, flags);
  warnOfProfiles(cli, profilesIn(input));
  if ('source' in ground) await setUpFirst(cli, ground.source, `${id}/setup`);
  const handle = await cli.start('functionProblems', input, { id, note: `function problems of ${ground.label}` });
  const result = await resultIfAwaited(cli, handle, {
    wait,
    watch,
    follow: watchCommand('problems', handle),
    watched: () => followBuild(cli, handle),
  });
  if (!result) return;
  await printBuildAnswer(cli, result, out);
  if (result.admitted === 0) process.exitCode = NO_PROBLEM;
}

/** `0.8` or `80%`. */
function shareOption(text: string): number {
  const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('expected a share, like 0.8 or 80%.');
  return value;
}
