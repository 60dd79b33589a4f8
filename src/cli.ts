import { Command, CommanderError } from 'commander';
import { addCovariateShiftCommands } from './cli/analysis/covariate-shift';
import { addFailuresCommands } from './cli/analysis/failures';
import { addCampaignCommands } from './cli/campaign';
import { Cli } from './cli/context';
import { addDatasetCommands } from './cli/dataset';
import { addEvaluationCommands } from './cli/evaluation';
import { addExperienceCommands } from './cli/experience';
import { addFunctionProblemsCommands } from './cli/function-problems';
import { addFunctionsCommands } from './cli/functions';
import { addHistoryCommands } from './cli/history';
import { addJanitorCommands } from './cli/janitor';
import { wholeId } from './cli/lookup';
import { addModelCommands } from './cli/models';
import { addPipelineCommands } from './cli/pipeline';
import { addProblemCommands } from './cli/problem';
import { addReportCommands } from './cli/report';
import { addRolloutCommands } from './cli/rollout';
import { addSchemaCommands } from './cli/schemas';
import { explain } from './cli/server-errors';
import { addDoctorCommand, addServiceCommands, addTrustCommand } from './cli/services';
import { addSetupCommands } from './cli/setup';
import { addViewCommands } from './cli/view';
import { NOUNS } from './cli/wait';
import { addRehearsalCommands, addWorkerCommands } from './cli/worker';
import { PointsmanError } from './contract';
import { closeHome } from './home';

/** The whole command line. stdout is the answer of a command, stderr everything said on the way. */
export function createProgram(cli: Cli): Command {
  const program = new Command('pointsman')
    .description('Durable training data for coding agents, on Temporal.')
    .option('--json', 'print exactly one JSON object on standard output')
    .option('--queue <name>', 'task queue that workflows are started on (POINTSMAN_QUEUE)', cli.queue)
    .hook('preAction', async (_, command) => {
      const { json, queue } = command.optsWithGlobals<{ json?: boolean; queue: string }>();
      cli.json = json ?? false;
      cli.queue = queue;
      await completeId(cli, command);
    })
    // Set before the commands are added: they inherit it. Errors are printed by `cli.fail`, in JSON too.
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showSuggestionAfterError()
    .configureHelp({ helpWidth: Math.min(process.stdout.columns ?? 80, 100), sortSubcommands: false });
  addServiceCommands(program, cli);
  addPipelineCommands(program, cli);
  addSetupCommands(program, cli);
  addRolloutCommands(program, cli);
  addProblemCommands(program, cli);
  addFunctionsCommands(program, cli);
  addFunctionProblemsCommands(program, cli);
  addEvaluationCommands(program, cli);
  addCampaignCommands(program, cli);
  addDatasetCommands(program, cli);
  addViewCommands(program, cli);
  addCovariateShiftCommands(program, cli);
  addFailuresCommands(program, cli);
  addReportCommands(program, cli);
  addModelCommands(program, cli);
  addExperienceCommands(program, cli);
  addWorkerCommands(program, cli);
  addRehearsalCommands(program, cli);
  addJanitorCommands(program, cli);
  addHistoryCommands(program, cli);
  addDoctorCommand(program, cli);
  addTrustCommand(program, cli);
  addSchemaCommands(program, cli);
  return program;
}

/** Whatever takes the id of a run takes a beginning of it too, where only one begins like that. */
async function completeId(cli: Cli, command: Command): Promise<void> {
  const noun = command.parent?.name();
  const type = Object.keys(NOUNS).find((each) => NOUNS[each] === noun);
  const [word] = command.processedArgs as unknown[];
  if (type === undefined || command.registeredArguments[0]?.name() !== 'id' || typeof word !== 'string') return;
  command.processedArgs[0] = await wholeId(cli, word, type);
}

/** Commander's complaint as one of ours: `error: unknown command 'rolout'\n(Did you mean rollout?)`. */
function usageError(error: CommanderError): PointsmanError {
  const [what = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const help = '`pointsman help COMMAND` shows what there is.';
  return new PointsmanError('InvalidInput', [what, ...more].join(' ').trim(), help);
}

async function main(argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that has read enough, as `head` has, is no failure of ours: what the command came to stays its exit code.
      if (error.code === 'EPIPE') process.exit();
      throw error;
    });
  }
  const cli = new Cli();
  // Known before the arguments are parsed, so that a complaint about them is JSON as well.
  cli.json = argv.includes('--json');
  try {
    closeHome();
    await createProgram(cli).parseAsync([...argv], { from: 'user' });
    await cli.close();
  } catch (error) {
    if (!(error instanceof CommanderError)) return cli.fail(explain(error));
    // Help that was asked for is an answer; help in place of a missing verb is not.
    if (error.exitCode === 0) return;
    if (error.code === 'commander.help' && !cli.json) process.exit(1);
    cli.fail(
      error.code === 'commander.help'
        ? new PointsmanError('InvalidInput', 'a command is missing', 'See `pointsman --help`.')
        : usageError(error),
    );
  }
}

if (require.main === module) void main(process.argv.slice(2));
