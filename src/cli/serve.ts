import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { profileNamed } from '../config';
import { PointsmanError } from '../contract';
import { packageVersion, room } from '../home';
import { isLoopback } from '../own-host';
import { Runs } from '../serve/runs';
import { serveTrainers } from '../serve/server';
import type { Cli } from './context';
import { wholeOption } from './options';
import { standstill } from './wait';

interface Flags {
  readonly port: number;
  readonly listen: string;
  readonly tokenEnv?: string;
  readonly most: number;
  readonly outageSeconds: number;
  readonly student?: string;
}

/** `serve`: rollouts over HTTP, for trainers; in the foreground until SIGTERM or Ctrl-C. Runs go on without it. */
export function addServeCommand(serve: Command, cli: Cli): void {
  serve
    .option('--port <n>', 'port to listen on; 0 takes a free one', wholeOption, 8765)
    .option('--listen <address>', 'address to serve on; HTTP is not encrypted', '127.0.0.1')
    .option('--token-env <name>', 'variable that holds the token; else one is made and kept in the home')
    .option('--most <n>', 'unfinished rollouts at once; who asks for more is told to come again', wholeOption, 500)
    .option('--outage-seconds <n>', 'how long a step may fail until who waits is told', wholeOption, 600)
    .option('--student <profile>', 'student of rows of /run that name none')
    .action(async (flags: Flags) => {
      if (flags.student !== undefined) profileNamed(cli.settings.config, flags.student);
      const token = flags.tokenEnv === undefined ? tokenOfHome() : tokenIn(flags.tokenEnv);
      await cli.ready();
      const client = await cli.client();
      const { stores, queue } = cli;
      const { config } = cli.settings;
      const runs = new Runs({
        client,
        queue,
        config,
        stores,
        most: flags.most,
        outageMs: flags.outageSeconds * 1000,
        standstill: (described) => standstill(client, described),
      });
      await runs.resume();
      const { port, listen: host, student } = flags;
      const version = packageVersion();
      const serving = await serveTrainers(runs, { port, host, token: token.value, student, version, stores });
      if (!isLoopback(host)) cli.say(`requests to ${host} are not encrypted: put a proxy with TLS before it`);
      cli.say(`token: ${token.from}; what it speaks: ${serving.url}/openapi.json; Ctrl-C ends it, rollouts go on`);
      cli.print({ url: serving.url, pid: process.pid }, () => serving.url);
      await new Promise<void>((done) => {
        process.once('SIGINT', () => done());
        process.once('SIGTERM', () => done());
      });
      runs.close();
      await serving.close();
      // The client's retries of a poll have timers that nothing stops, and they would fail on the closed connection.
      process.exit(0);
    });
}

/** Made at the first start, for this account alone. */
function tokenOfHome(): { readonly value: string; readonly from: string } {
  const file = join(room('run'), 'serve-token');
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' });
  return { value: readFileSync(file, 'utf8').trim(), from: file };
}

function tokenIn(name: string): { readonly value: string; readonly from: string } {
  const value = process.env[name]?.trim() ?? '';
  if (value.length >= 16) return { value, from: name };
  throw new PointsmanError(
    'InvalidInput',
    value ? `--token-env ${name}: a token has 16 characters at least` : `--token-env ${name}: it is not set`,
    `Set ${name} to a long random text, or leave --token-env out.`,
  );
}
