import type { Command } from 'commander';
import { nearest, PointsmanError } from '../contract';
import type { Cli } from './context';

/** How a long workflow is started and waited for, whatever it does. */
export interface StartFlags {
  readonly input?: string;
  readonly id?: string;
  readonly wait?: boolean;
  readonly watch?: boolean;
}

export interface OutFlags extends StartFlags {
  readonly out?: string;
}

/** `--input`, in front of a command's own flags. */
export function addInputOption(command: Command): Command {
  return command.option('-i, --input <file>', 'JSON or YAML file, "-" for standard input');
}

/** `--id`, `--wait` and `--watch`, behind them. `id` says more about the workflow id. */
export function addStartOptions(command: Command, id = 'workflow id; one that runs already is joined'): Command {
  return command
    .option('--id <id>', id)
    .option('--wait', 'wait for the result and print it')
    .option('--watch', 'follow it on standard error, then print the result');
}

/** `--out`, behind `addStartOptions`. `written` says what it writes. */
export function addOutOption(command: Command, written: string): Command {
  return command.option('--out <dir>', `with --wait or --watch: write ${written} there`);
}

/** Throws `InvalidInput` for `--out` where nothing waits. `noun` is the command that can export later. */
export function assertOutWaits({ wait, watch, out }: OutFlags, noun: string): void {
  if (out === undefined || wait || watch) return;
  throw new PointsmanError(
    'InvalidInput',
    '--out: there is nothing to write before it has ended',
    `Add --wait or --watch, or write later with \`pointsman ${noun} export ID --out DIR\`.`,
  );
}

/**
 * The worker may know other profiles than this machine, so this is only said; the workflow refuses what is wrong. `field` is
 * where the names stand, where there are several such.
 */
export function warnOfProfiles(cli: Cli, asked: readonly unknown[], field?: string): void {
  const known = Object.keys(cli.settings.config.profiles);
  for (const name of new Set(asked)) {
    if (typeof name !== 'string' || name.startsWith('builtin:') || known.includes(name)) continue;
    const close = nearest(name, known);
    cli.say(
      `warning: ${field ? `${field}: ` : ''}the configuration here has no profile "${name}"${close ? `, did you mean "${close}"?` : ''}`,
    );
  }
}
