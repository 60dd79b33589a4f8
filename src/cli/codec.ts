import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { PointsmanError } from '../contract';
import { room } from '../home';
import { encryptsPayloads, newKey, payloadCipher } from '../payloads';
import { serveCodec } from '../payloads/server';
import type { Cli } from './context';
import { wholeOption } from './options';

interface Flags {
  readonly port: number;
  readonly ui?: string;
}

/** `codec`: the keys of encrypted payloads, and the server with which the Temporal UI and CLI read them. */
export function addCodecCommands(codec: Command, cli: Cli): void {
  codec
    .command('key')
    .description('make a key for the variable that payloads.keysEnv names; it is printed and kept nowhere')
    .action(() => {
      const key = newKey(new Date());
      cli.print({ key }, () => key);
    });
  codec
    .command('serve')
    .description('let the Temporal UI and CLI on this machine read what is encrypted, until Ctrl-C')
    .option('--port <n>', 'port to listen on; 0 takes a free one', wholeOption, 8089)
    .option('--ui <url>', 'address of the Temporal UI; without it that of the server in use')
    .action(async (flags: Flags) => {
      const { config } = cli.settings;
      if (!encryptsPayloads(config)) {
        throw new PointsmanError(
          'InvalidInput',
          'payloads are not encrypted here',
          'Name the variable with the keys in the configuration: `payloads: { keysEnv: PAYLOAD_KEYS }`.',
        );
      }
      const ui = originOf(flags.ui ?? (await cli.local()).ui);
      const serving = await serveCodec(payloadCipher(config), { port: flags.port, secret: secretOfHome(), ui });
      cli.say(`in the UI${ui ? ` at ${ui}` : ''}: the glasses at the top, "Remote Codec Endpoint", this address`);
      cli.say('on the command line: temporal … --codec-endpoint with this address; Ctrl-C ends it');
      cli.print({ url: serving.url, ui: ui ?? null, pid: process.pid }, () => serving.url);
      await new Promise<void>((done) => {
        process.once('SIGINT', () => done());
        process.once('SIGTERM', () => done());
      });
      await serving.close();
    });
}

function originOf(ui: string | undefined): string | undefined {
  if (ui === undefined) return undefined;
  if (URL.canParse(ui)) return new URL(ui).origin;
  throw new PointsmanError('InvalidInput', `--ui ${ui}: not an address`, 'Name it like http://127.0.0.1:8233.');
}

/** The same at each start, so that a UI is told once; for this account alone. */
function secretOfHome(): string {
  const file = join(room('run'), 'codec-secret');
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' });
  return readFileSync(file, 'utf8').trim();
}
