import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { PointsmanError } from '../../contract';
import { room } from '../../home';
import { openPage } from '../../machine/command';
import { isLoopback } from '../../own-host';
import { count } from '../../pages/figures';
import { exportViewer } from '../../pages/viewer/server/export';
import { serveViewer } from '../../pages/viewer/server/server';
import type { Cli } from '../context';
import { wholeOption } from '../options';
import type { ViewChoice } from './lines';
import { HomeSource } from './source';

interface ChoiceFlags {
  readonly campaign?: string[];
  readonly rollouts?: string;
  readonly run?: string[];
  readonly setup?: string[];
  readonly dataset?: string;
}

interface ServeFlags extends ChoiceFlags {
  readonly port: number;
  readonly listen: string;
  readonly open?: boolean;
}

interface ExportFlags extends ChoiceFlags {
  readonly out: string;
  readonly limitMb: number;
  readonly title?: string;
}

/** `view`: trajectories and set-ups in a browser, from a server here or in one file that needs none. */
export function addViewCommands(view: Command, cli: Cli): void {
  withChoice(view)
    .option('--port <n>', 'port to listen on; 0 takes a free one', wholeOption, 0)
    .option(
      '--listen <address>',
      'address to serve on; anything but this machine shows all of it to whoever reaches it',
      '127.0.0.1',
    )
    .option('--open', 'open the page in the browser')
    .action(async (flags: ServeFlags) => serve(cli, flags));
  withChoice(view.command('export').description('write one page that needs no server and no network'))
    .requiredOption('--out <file.html>', 'file to write')
    .option('--limit-mb <n>', 'size of outputs and files in it, before they are compressed', wholeOption, 64)
    .option('--title <words>', 'title of the page')
    .action(async (_: unknown, command: Command) => write(cli, command.optsWithGlobals<ExportFlags>()));
}

function withChoice(command: Command): Command {
  return command
    .option('--campaign <id...>', 'rollouts of these campaigns, ended or running')
    .option('--rollouts <file>', 'rollouts of a file of rows (rollouts.jsonl)')
    .option('--run <id...>', 'these rollouts, by workflow id or by the hash of a head')
    .option('--setup <id...>', 'these set-ups, by workflow id')
    .option('--dataset <name>', 'rollouts that a data set was made of: what is trained of each, or why it was dropped');
}

async function serve(cli: Cli, flags: ServeFlags): Promise<void> {
  const source = new HomeSource(cli, choiceOf(flags));
  // What was asked for wrongly is said here, and not on a page that nobody has opened yet.
  const { runs, title } = await source.list();
  const { port, listen: host } = flags;
  const serving = await serveViewer(source, { port, host, title, token: tokenOfHome() });
  if (!isLoopback(host)) cli.say(`whoever has the link and reaches ${host} can read all of this store's blobs`);
  cli.say(`${count(runs.length, 'run')}; Ctrl-C ends it`);
  const url = runs.length === 1 ? `${serving.url}#/run/${encodeURIComponent(runs[0]!.id)}` : serving.url;
  cli.print({ url, runs: runs.length }, () => url);
  if (flags.open) openPage(url);
  await new Promise<void>((done) => {
    process.once('SIGINT', () => done());
    process.once('SIGTERM', () => done());
  });
  await serving.close();
}

/** The same for each viewer of this home, so that a link goes on working. */
function tokenOfHome(): string {
  const file = join(room('run'), 'viewer-token');
  if (!existsSync(file)) writeFileSync(file, randomBytes(18).toString('base64url'), { mode: 0o600, flag: 'wx' });
  return readFileSync(file, 'utf8');
}

async function write(cli: Cli, flags: ExportFlags): Promise<void> {
  const out = resolve(flags.out);
  const source = new HomeSource(cli, choiceOf(flags));
  const { runs, title } = await source.list();
  if (runs.length === 0)
    throw new PointsmanError(
      'NotFound',
      'there is no run to write',
      '`pointsman view --help` says what may be chosen.',
    );
  const exported = await exportViewer(source, out, { title: flags.title ?? title, limit: flags.limitMb * 1024 * 1024 });
  cli.print({ file: out, ...exported }, () =>
    [
      out,
      `${count(exported.runs, 'run')}, ${(exported.bytes / 1024 / 1024).toFixed(1)} MiB`,
      ...(exported.cut > 0
        ? [`${count(exported.cut, 'body', 'bodies')} only in part: --limit-mb ${flags.limitMb} was not enough for all`]
        : []),
    ].join('\n'),
  );
}

function choiceOf({ campaign = [], rollouts, run = [], setup = [], dataset }: ChoiceFlags): ViewChoice {
  return { campaigns: campaign, rollouts, runs: run, setups: setup, dataset };
}
