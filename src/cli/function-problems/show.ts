import { type Command, Option } from 'commander';
import { ContextKind, type FunctionInstance, PointsmanError } from '../../contract';
import { type Cli, look } from '../context';
import { exitAs } from '../lookup';
import { buildText } from '../terminal/function-problems/build';
import { instanceText } from '../terminal/function-problems/instance';
import { safeLines } from '../terminal/safe-text';
import { instanceNamed, instancesFile, readInstances } from './instances';
import { readBuild } from './reading';

interface Flags {
  readonly harness?: boolean;
  readonly reference?: boolean;
  readonly context?: ContextKind;
  readonly report?: boolean;
  readonly full?: boolean;
}

/** `function-problems show`: a build, or one of its problems, or one text of that problem. */
export function addFunctionProblemsShow(problems: Command, cli: Cli): void {
  problems
    .command('show <from> [problem]')
    .description('print a build by its id, or a problem of a file, folder or build')
    .option('--harness', "the problem's harness alone")
    .option('--reference', "the repository's own implementation alone")
    .addOption(new Option('--context <kind>', 'what a solver is shown, alone').choices(ContextKind.options))
    .option('--report', "the build's report alone, as Markdown")
    .option('--full', 'nothing folded')
    .action(async (from: string, problem: string | undefined, flags: Flags) => {
      if (problem !== undefined) return showProblem(cli, from, problem, flags);
      if (instancesFile(from) !== undefined) return showOnly(cli, from, flags);
      return showBuild(cli, from, flags);
    });
}

/** Of a file without a name: its one problem. */
async function showOnly(cli: Cli, from: string, flags: Flags): Promise<void> {
  const { instances } = await readInstances(cli, from);
  const [only] = instances;
  if (only && instances.length === 1) return showProblem(cli, from, only.id, flags);
  throw new PointsmanError(
    'InvalidInput',
    `${from} holds ${instances.length} problems: which one?`,
    `\`pointsman function-problems list ${from}\` lists them.`,
  );
}

async function showProblem(cli: Cli, from: string, name: string, flags: Flags): Promise<void> {
  const { harness, reference, context, report, full } = flags;
  const instance = instanceNamed(await readInstances(cli, from), name);
  const wanted = Object.entries({ harness, reference, context }).flatMap(([flag, value]) => (value ? [flag] : []));
  if (report) throw refused('--report is of a build', 'Leave the problem out.');
  if (wanted.length > 1) throw refused(`--${wanted.join(' and --')}: one text at a time`, 'Ask twice.');
  if (wanted.length === 0) return cli.print(instance, () => instanceText(instance, look(full)));
  const text = harness ? instance.harness.source : reference ? instance.reference : contextOf(instance, context!);
  // Into a file as it is; on a terminal nothing that a repository holds may move the cursor.
  cli.print({ id: instance.id, [wanted[0]!]: text }, () => shown(text));
}

async function showBuild(cli: Cli, id: string, { report, full, harness, reference, context }: Flags): Promise<void> {
  if (harness || reference || context)
    throw refused('which problem?', '`pointsman function-problems show BUILD PROBLEM`');
  const build = await readBuild(cli, id);
  if (report) {
    if (!build.result) throw new PointsmanError('NotFound', `${id} has no report yet`, 'It is written at the end.');
    const text = (await cli.blobs.get(build.result.report.sha256)).toString('utf8');
    return cli.print({ report: text }, () => shown(text));
  }
  const { progress = null, result = null, trouble = null, links, instances, ...rest } = build;
  const problems = instances.map((each) => each.id);
  cli.print({ ...rest, progress, result, trouble, problems, links: Object.fromEntries(links) }, () =>
    buildText(build, look(full)),
  );
  exitAs(build.status);
}

function contextOf({ id, contexts }: FunctionInstance, kind: ContextKind): string {
  const text = contexts[kind];
  if (text !== undefined) return text;
  throw new PointsmanError('NotFound', `${id} has no ${kind} context`, `It has ${Object.keys(contexts).join(', ')}.`);
}

function shown(text: string): string {
  return (process.stdout.isTTY ? safeLines(text).join('\n') : text).replace(/\n$/, '');
}

function refused(message: string, hint: string): PointsmanError {
  return new PointsmanError('InvalidInput', message, hint);
}
