import { Command, CommanderError } from 'commander';
import type { Cli } from './cli/context';
import { withNewNames } from './cli/renamed';
import { PointsmanError } from './contract/errors';
import { closeHome, packageVersion } from './home';

/** A word of the first level: what help says of it, and where its options and verbs are made. */
interface Noun {
  readonly about: string;
  readonly alias?: string;
  /** Loads its module, which no other command should wait for, and gives the function that fills the command in. */
  readonly load: () => Promise<(command: Command, cli: Cli) => void>;
}

const services = () => import('./cli/services.js');
const worker = () => import('./cli/worker.js');

const NOUNS: Readonly<Record<string, Noun>> = {
  up: {
    about: 'start server, worker and (with a script) rehearsal in the background',
    load: async () => (await services()).addUpCommand,
  },
  down: {
    about: 'stop all that this home started; runs continue at the next `up`',
    load: async () => (await services()).addDownCommand,
  },
  status: { about: 'say what runs and where; starts nothing', load: async () => (await services()).addStatusCommand },
  pipeline: {
    about: 'the whole pipeline: repositories, problems, rollouts, data set, report',
    load: async () => (await import('./cli/pipeline.js')).addPipelineCommands,
  },
  setup: {
    about: 'set repositories up: start, follow, read, compare',
    load: async () => (await import('./cli/setup/index.js')).addSetupCommands,
  },
  rollout: {
    about: 'trajectories: start, follow, read, steer',
    load: async () => (await import('./cli/rollout/index.js')).addRolloutCommands,
  },
  problem: {
    about: 'real problems, one a folder: make, import, check, list',
    load: async () => (await import('./cli/problem/index.js')).addProblemCommands,
  },
  functions: {
    about: 'reads the Python source of a folder: functions, slices, calls',
    load: async () => (await import('./cli/functions.js')).addFunctionsCommands,
  },
  'function-problems': {
    about: 'problems made of functions: build, read, prove',
    load: async () => (await import('./cli/function-problems/index.js')).addFunctionProblemsCommands,
  },
  evaluation: {
    about: 'PASS@k and self-repair of solvers on function problems',
    load: async () => (await import('./cli/evaluation/index.js')).addEvaluationCommands,
  },
  campaign: {
    about: 'thousands of rollouts: instances × methods × passes',
    load: async () => (await import('./cli/campaign/index.js')).addCampaignCommands,
  },
  dataset: {
    about: 'training files out of graded trajectories',
    load: async () => (await import('./cli/dataset/index.js')).addDatasetCommands,
  },
  view: {
    about: 'read trajectories and set-ups in a browser (default: all)',
    load: async () => (await import('./cli/view/index.js')).addViewCommands,
  },
  serve: {
    about: 'rollouts over HTTP, for trainers: start, wait, read',
    load: async () => (await import('./cli/serve.js')).addServeCommand,
  },
  codec: {
    about: 'keys of encrypted payloads; reading them in the Temporal UI and CLI',
    load: async () => (await import('./cli/codec.js')).addCodecCommands,
  },
  'covariate-shift': {
    alias: 'shift',
    about: "how far students' histories drift from an expert's, turn by turn",
    load: async () => (await import('./cli/analysis/covariate-shift.js')).addCovariateShiftCommands,
  },
  failures: {
    about: 'why unresolved rollouts failed, as a judge sees it',
    load: async () => (await import('./cli/analysis/failures.js')).addFailuresCommands,
  },
  report: {
    about: 'one page about what was made, with the figures behind it',
    load: async () => (await import('./cli/report/index.js')).addReportCommands,
  },
  models: {
    about: 'model profiles of the configuration',
    load: async () => (await import('./cli/models/index.js')).addModelCommands,
  },
  experience: {
    about: 'what earlier set-ups taught: units and their record',
    load: async () => (await import('./cli/experience.js')).addExperienceCommands,
  },
  worker: { about: 'the process that does the work', load: async () => (await worker()).addWorkerCommands },
  rehearsal: {
    about: 'scripted models for demos and tests; no real model',
    load: async () => (await worker()).addRehearsalCommands,
  },
  janitor: {
    about: 'remove what no running workflow owns',
    load: async () => (await import('./cli/janitor.js')).addJanitorCommands,
  },
  history: {
    about: 'histories that the server keeps',
    load: async () => (await import('./cli/history.js')).addHistoryCommands,
  },
  demo: {
    about: 'what Pointsman does, on real repositories, without a model',
    load: async () => (await import('./demo/command.js')).addDemoCommand,
  },
  prepare: {
    about: 'install what is missing: Temporal, Docker, the base image',
    load: async () => (await services()).addPrepareCommand,
  },
  doctor: {
    about: 'say what is there, what is missing and what to do',
    load: async () => (await services()).addDoctorCommand,
  },
  trust: {
    about: 'use the pointsman.yaml of this folder, now that you have looked at it',
    load: async () => (await services()).addTrustCommand,
  },
  completion: {
    about: 'words of all commands and options, for your shell',
    load: async () => {
      const { addCompletionCommand } = await import('./cli/completion.js');
      return (command, cli) => addCompletionCommand(command, cli, () => wholeProgram(cli));
    },
  },
  schemas: {
    about: 'JSON Schemas of everything that people write',
    load: async () => (await import('./cli/schemas.js')).addSchemaCommands,
  },
};

/** Of use where the configuration is wrong, or nobody has said to trust it; `trust` uses what it then trusts by itself. */
const WITHOUT_EXTENSIONS: readonly string[] = ['trust', 'down', 'doctor', 'prepare', 'completion'];

/** Verbs that begin something, for which a server is started where none runs. All others look at what is there, or steer it. */
const BEGIN: readonly string[] = ['up', 'start', 'build', 'check', 'grade', 'run', 'schedule', 'serve'];

function begins(command: Command): boolean {
  return BEGIN.includes(command.name()) || (command.name() === 'compare' && command.parent?.name() === 'setup');
}

/** The command line. stdout is the answer of a command, stderr everything said on the way. */
export function createProgram(cli: () => Promise<Cli>): Command {
  const program = new Command('pointsman')
    .description('Durable training data for coding agents, on Temporal.')
    .version(packageVersion(), '-V, --version')
    .option('--json', 'print exactly one JSON object on standard output')
    .option('--queue <name>', 'task queue that workflows are started on (POINTSMAN_QUEUE; default: pointsman)')
    .hook('preAction', async (_, command) => {
      const { json, queue } = command.optsWithGlobals<{ json?: boolean; queue?: string }>();
      const given = await cli();
      given.json = json ?? false;
      if (queue !== undefined) given.queue = queue;
      given.startsServer = begins(command);
      if (command.registeredArguments[0]?.name() === 'id') await completeId(given, command);
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
  return program.hook('preSubcommand', async (_, command) => {
    const given = await cli();
    // Names that they bring may be choices of an option.
    if (!WITHOUT_EXTENSIONS.includes(command.name())) await given.useExtensions();
    await fill(command, given);
  });
}

/** Whatever takes the id of a run takes a beginning of it too, where only one begins like that. */
async function completeId(cli: Cli, command: Command): Promise<void> {
  const { NOUNS: nouns } = await import('./cli/wait.js');
  const noun = command.parent?.name();
  const type = Object.keys(nouns).find((each) => nouns[each] === noun);
  const [word] = command.processedArgs as unknown[];
  if (type === undefined || typeof word !== 'string') return;
  const { wholeId } = await import('./cli/lookup.js');
  command.processedArgs[0] = await wholeId(cli, word, type);
}

/** All of it, every module loaded: for what looks at the command line itself. */
export async function wholeProgram(cli: Cli): Promise<Command> {
  const program = createProgram(async () => cli);
  for (const command of program.commands) await fill(command, cli);
  return program;
}

/** Gives a command of the first level its options and verbs. */
async function fill(command: Command, cli: Cli): Promise<void> {
  const add = await NOUNS[command.name()]?.load();
  add?.(command, cli);
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
  const cli = async () => {
    made ??= new (await import('./cli/context.js')).Cli();
    // Known before the arguments are parsed, so that a complaint about them is JSON as well.
    made.json ||= argv.includes('--json');
    return made;
  };
  const { words, notes } = withNewNames(argv);
  for (const note of notes) process.stderr.write(`note: ${note}\n`);
  // `help rollout list` is `rollout list --help`.
  const asked = words[0] === 'help' && words.length > 2 ? [...words.slice(1), '--help'] : words;
  try {
    closeHome();
    await createProgram(cli).parseAsync(asked, { from: 'user' });
    await made?.close();
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const { explain } = await import('./cli/server-errors.js');
      return (await cli()).fail(explain(error));
    }
    // Help that was asked for is an answer; help in place of a missing verb is not.
    if (error.exitCode === 0) return;
    if (error.code === 'commander.help' && !argv.includes('--json')) process.exit(1);
    (await cli()).fail(
      error.code === 'commander.help'
        ? new PointsmanError('InvalidInput', 'a command is missing', 'See `pointsman --help`.')
        : usageError(error),
    );
  }
}

if (require.main === module) void main(process.argv.slice(2));
