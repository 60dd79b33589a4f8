import { Command, CommanderError } from 'commander';
import type { Cli } from './cli/context';
import { PointsmanError } from './contract/errors';
import { closeHome, packageVersion } from './home';

/** A word of the first level: what help says of it, and where its options and verbs are made. */
interface Noun {
  readonly about: string;
  readonly alias?: string;
  /** Loads its module, which no other command should wait for, and gives the function that fills the command in. */
  readonly load: () => (command: Command, cli: Cli) => void;
}

const services = () => require('./cli/services') as typeof import('./cli/services');
const worker = () => require('./cli/worker') as typeof import('./cli/worker');

const NOUNS: Readonly<Record<string, Noun>> = {
  up: {
    about: 'start server, worker and (with a script) rehearsal in the background',
    load: () => services().addUpCommand,
  },
  down: {
    about: 'stop all that this home started; runs continue at the next `up`',
    load: () => services().addDownCommand,
  },
  status: { about: 'say what runs and where; starts nothing', load: () => services().addStatusCommand },
  pipeline: {
    about: 'the whole pipeline: repositories, problems, rollouts, data set, report',
    load: () => (require('./cli/pipeline') as typeof import('./cli/pipeline')).addPipelineCommands,
  },
  setup: {
    about: 'set repositories up: start, follow, read, compare',
    load: () => (require('./cli/setup') as typeof import('./cli/setup')).addSetupCommands,
  },
  rollout: {
    about: 'trajectories: start, follow, read, steer',
    load: () => (require('./cli/rollout') as typeof import('./cli/rollout')).addRolloutCommands,
  },
  problem: {
    about: 'real problems, one a folder: make, import, check, list',
    load: () => (require('./cli/problem') as typeof import('./cli/problem')).addProblemCommands,
  },
  functions: {
    about: 'reads the Python source of a folder: functions, slices, calls',
    load: () => (require('./cli/functions') as typeof import('./cli/functions')).addFunctionsCommands,
  },
  'function-problems': {
    about: 'problems made of functions: build, read, prove',
    load: () =>
      (require('./cli/function-problems') as typeof import('./cli/function-problems')).addFunctionProblemsCommands,
  },
  evaluation: {
    about: 'PASS@k and self-repair of solvers on function problems',
    load: () => (require('./cli/evaluation') as typeof import('./cli/evaluation')).addEvaluationCommands,
  },
  campaign: {
    about: 'thousands of rollouts: instances × methods × passes',
    load: () => (require('./cli/campaign') as typeof import('./cli/campaign')).addCampaignCommands,
  },
  dataset: {
    about: 'training files out of graded trajectories',
    load: () => (require('./cli/dataset') as typeof import('./cli/dataset')).addDatasetCommands,
  },
  view: {
    about: 'read trajectories and set-ups in a browser (default: all)',
    load: () => (require('./cli/view') as typeof import('./cli/view')).addViewCommands,
  },
  'covariate-shift': {
    alias: 'shift',
    about: "how far students' histories drift from an expert's, turn by turn",
    load: () =>
      (require('./cli/analysis/covariate-shift') as typeof import('./cli/analysis/covariate-shift'))
        .addCovariateShiftCommands,
  },
  failures: {
    about: 'why unresolved rollouts failed, as a judge sees it',
    load: () => (require('./cli/analysis/failures') as typeof import('./cli/analysis/failures')).addFailuresCommands,
  },
  report: {
    about: 'one page about what was made, with the figures behind it',
    load: () => (require('./cli/report') as typeof import('./cli/report')).addReportCommands,
  },
  models: {
    about: 'model profiles of the configuration',
    load: () => (require('./cli/models') as typeof import('./cli/models')).addModelCommands,
  },
  experience: {
    about: 'what earlier set-ups taught: units and their record',
    load: () => (require('./cli/experience') as typeof import('./cli/experience')).addExperienceCommands,
  },
  worker: { about: 'the process that does the work', load: () => worker().addWorkerCommands },
  rehearsal: {
    about: 'scripted models for demos and tests; no real model',
    load: () => worker().addRehearsalCommands,
  },
  janitor: {
    about: 'remove what no running workflow owns',
    load: () => (require('./cli/janitor') as typeof import('./cli/janitor')).addJanitorCommands,
  },
  history: {
    about: 'histories that the server keeps',
    load: () => (require('./cli/history') as typeof import('./cli/history')).addHistoryCommands,
  },
  demo: {
    about: 'what Pointsman does, on real repositories, without a model',
    load: () => (require('./demo/command') as typeof import('./demo/command')).addDemoCommand,
  },
  prepare: {
    about: 'install what is missing: Temporal, Docker, the base image',
    load: () => services().addPrepareCommand,
  },
  doctor: { about: 'say what is there, what is missing and what to do', load: () => services().addDoctorCommand },
  trust: {
    about: 'use the pointsman.yaml of this folder, now that you have looked at it',
    load: () => services().addTrustCommand,
  },
  schemas: {
    about: 'JSON Schemas of everything that people write',
    load: () => (require('./cli/schemas') as typeof import('./cli/schemas')).addSchemaCommands,
  },
};

/** The command line. stdout is the answer of a command, stderr everything said on the way. */
export function createProgram(cli: () => Cli): Command {
  const program = new Command('pointsman')
    .description('Durable training data for coding agents, on Temporal.')
    .version(packageVersion(), '-V, --version')
    .option('--json', 'print exactly one JSON object on standard output')
    .option('--queue <name>', 'task queue that workflows are started on (POINTSMAN_QUEUE; default: pointsman)')
    .hook('preAction', (_, command) => {
      const { json, queue } = command.optsWithGlobals<{ json?: boolean; queue?: string }>();
      cli().json = json ?? false;
      if (queue !== undefined) cli().queue = queue;
    })
    // Set before the commands are added: they inherit it. Errors are printed by `cli.fail`, in JSON too.
    .exitOverride()
    .configureOutput({ outputError: () => {} })
    .showSuggestionAfterError()
    .configureHelp({ helpWidth: Math.min(process.stdout.columns ?? 80, 100), sortSubcommands: false });
  for (const [name, { about, alias }] of Object.entries(NOUNS)) {
    const command = program.command(name).description(about);
    if (alias) command.alias(alias);
  }
  return program.hook('preSubcommand', (_, command) => fill(command, cli()));
}

/** Gives a command of the first level its options and verbs. */
export function fill(command: Command, cli: Cli): void {
  NOUNS[command.name()]?.load()(command, cli);
}

/** Commander's complaint as one of ours: `error: unknown command 'rolout'\n(Did you mean rollout?)`. */
function usageError(error: CommanderError): PointsmanError {
  const [what = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const help = '`pointsman help COMMAND` shows what there is.';
  return new PointsmanError('InvalidInput', [what, ...more].join(' ').trim(), help);
}

export async function main(argv: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // A reader that has read enough, as `head` has, is no failure of ours: what the command came to stays its exit code.
      if (error.code === 'EPIPE') process.exit();
      throw error;
    });
  }
  let made: Cli | undefined;
  const cli = () => {
    made ??= new (require('./cli/context') as typeof import('./cli/context')).Cli();
    // Known before the arguments are parsed, so that a complaint about them is JSON as well.
    made.json ||= argv.includes('--json');
    return made;
  };
  // `help rollout list` is `rollout list --help`.
  const words = argv[0] === 'help' && argv.length > 2 ? [...argv.slice(1), '--help'] : [...argv];
  try {
    closeHome();
    await createProgram(cli).parseAsync(words, { from: 'user' });
    await made?.close();
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const { explain } = require('./cli/server-errors') as typeof import('./cli/server-errors');
      return cli().fail(explain(error));
    }
    // Help that was asked for is an answer; help in place of a missing verb is not.
    if (error.exitCode === 0) return;
    if (error.code === 'commander.help' && !argv.includes('--json')) process.exit(1);
    cli().fail(
      error.code === 'commander.help'
        ? new PointsmanError('InvalidInput', 'a command is missing', 'See `pointsman --help`.')
        : usageError(error),
    );
  }
}

if (require.main === module) void main(process.argv.slice(2));
