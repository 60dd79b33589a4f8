import { type Command, Option } from 'commander';
import { PointsmanError, type Rejected, SetupRole } from '../../contract';
import type { ShownSetup } from '../../pages/shown-setup';
import { replyText } from '../../rollout/summary';
import { type Cli, look } from '../context';
import { exitAs } from '../lookup';
import { wholeOption } from '../options';
import { safeLines } from '../terminal/safe-text';
import { setupText } from '../terminal/setup/header';
import { readSetup } from './reading';

interface Flags {
  readonly full?: boolean;
  readonly step?: number;
  readonly role: SetupRole;
  readonly dockerfile?: boolean;
  readonly script?: boolean;
  readonly lock?: boolean;
}

const FILES = ['dockerfile', 'script', 'lock'] as const;
type FileName = (typeof FILES)[number];

/** `setup show`: a set-up as a person reads it, running or ended; or one of the files that it made. */
export function addSetupShow(setup: Command, cli: Cli): void {
  setup
    .command('show <id>')
    .description('print a set-up, by workflow id or by the hash of a chain')
    .option('--full', 'nothing folded')
    .option('--step <n>', 'that step only', wholeOption)
    .addOption(new Option('--role <role>', 'whose moves').choices(SetupRole.options).default('agent'))
    .option('--dockerfile', 'the Dockerfile alone')
    .option('--script', 'the script alone: the kept steps on the base image')
    .option('--lock', 'the resolved versions alone')
    .action(async (id: string, { full, step, role, ...files }: Flags) => {
      const run = await readSetup(cli, id, role);
      const wanted = FILES.filter((name) => files[name]);
      if (wanted.length > 1) {
        throw new PointsmanError('InvalidInput', `--${wanted.join(' and --')}: one file at a time`, 'Ask twice.');
      }
      if (wanted[0]) return printFile(cli, run, wanted[0]);
      if (step !== undefined && !run.steps.some(({ turn }) => turn.turn === step)) {
        throw new PointsmanError(
          'NotFound',
          `${id} has no step ${step} of the ${run.role} (it has ${run.steps.length})`,
          'Steps count from 1.',
        );
      }
      cli.print(setupData(run, step), () => setupText(run, look(full), step));
      exitAs(run.status);
    });
}

async function printFile(cli: Cli, run: ShownSetup, name: FileName): Promise<void> {
  const ref = run.result?.[name];
  if (!ref) {
    throw new PointsmanError(
      'NotFound',
      `${run.id ?? run.head} has no ${name}`,
      'Only a set-up that has ended verified keeps an environment; `pointsman setup show` says how it ended.',
    );
  }
  const text = (await cli.blobs.get(ref.sha256)).toString('utf8');
  // Into a file as it is; on a terminal nothing that a model wrote may move the cursor.
  cli.print({ [name]: text }, () => (process.stdout.isTTY ? safeLines(text).join('\n') : text).replace(/\n$/, ''));
}

/** The same for programs: outputs whole, raw replies left to the blobs. */
function setupData({ steps, result, progress, refused = [], links, ...run }: ShownSetup, only?: number) {
  const unread = ({ error, reply }: Rejected) => ({ code: error.code, reply: replyText(reply) });
  return {
    ...run,
    progress: progress ?? null,
    result: result ?? null,
    refused: refused.map(unread),
    steps: steps
      .filter(({ turn }) => only === undefined || turn.turn === only)
      .map(({ turn, hash, observation, output, notes, undoes, undoneBy }) => ({
        turn: turn.turn,
        role: turn.role,
        policy: turn.policy,
        model: turn.model,
        move: turn.move,
        rejected: turn.rejected.map(unread),
        output,
        exitCode: observation.exitCode,
        timedOutAfter: observation.timedOutAfter,
        elidedBytes: observation.elidedBytes,
        notes,
        undoes,
        undoneBy,
        usage: turn.usage,
        step: hash,
      })),
    links: Object.fromEntries(links),
  };
}
