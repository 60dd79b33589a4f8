import { type Command, InvalidArgumentError } from 'commander';
import { type HandOverPolicy, nearest, PointsmanError } from '../contract';
import type { Cli } from './context';

/** `6`, `0..30`, `never`, or a policy as JSON. */
export function handOverOption(text: string): HandOverPolicy {
  if (/^\d+$/.test(text)) return { at: Number(text) };
  const range = /^(\d+)\.\.(\d+)$/.exec(text);
  if (range) return { uniform: [Number(range[1]), Number(range[2])] };
  if (text === 'never') return { never: true };
  if (text.startsWith('{')) return json(text) as HandOverPolicy;
  throw new InvalidArgumentError('expected a turn (6), a range to draw from (0..30), "never", or a policy as JSON.');
}

export function wholeOption(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('expected a whole number from 0.');
  return Number(text);
}

export function dollarsOption(text: string): number {
  const value = Number(text.replace(/^\$/, ''));
  if (!(value > 0)) throw new InvalidArgumentError('expected USD, like 2.50.');
  return value;
}

/** `0.1..0.9`. */
export function shareRangeOption(text: string): [number, number] {
  const [low, high] = text.split('..').map(Number);
  if (low !== undefined && high !== undefined && 0 <= low && low <= high && high <= 1) return [low, high];
  throw new InvalidArgumentError('expected two shares, like 0.1..0.9.');
}

/** `90`, `30s`, `5m`, `2h`, `1d`: seconds. */
export function secondsOption(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*([smhd]?)$/.exec(text);
  const unit = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }[found?.[2] ?? ''];
  if (!found || unit === undefined) throw new InvalidArgumentError('expected a duration, like 30s, 5m, 2h or 1d.');
  return Number(found[1]) * unit;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidArgumentError(`not JSON: ${(error as Error).message}`);
  }
}

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
