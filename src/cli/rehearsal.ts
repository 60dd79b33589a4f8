import { once } from 'node:events';
import type { Command } from 'commander';
import { startRehearsal } from '../model/rehearsal/server';
import type { Cli } from './context';
import { wholeOption } from './options';

/** `rehearsal start`: scripted models over the OpenAI protocol, in the foreground. */
export function addRehearsalCommands(program: Command, cli: Cli): void {
  program
    .command('rehearsal')
    .description('scripted models for demos and tests: nothing here thinks')
    .command('start')
    .description('play a script over the OpenAI protocol until SIGTERM or Ctrl-C')
    .requiredOption('--script <file>', 'YAML or JSON file with the models')
    .option('--port <n>', 'port, 0 takes a free one', wholeOption, 0)
    .option('--log <file>', 'append a line of JSON for every chat request')
    .action(async ({ script, port, log }: { script: string; port: number; log?: string }) => {
      const rehearsal = await startRehearsal({ script, port, log });
      cli.print({ url: rehearsal.url, port: rehearsal.port, pid: process.pid }, () => rehearsal.url);
      cli.say(`scripted models at ${rehearsal.url}; for workers: POINTSMAN_REHEARSAL_URL=${rehearsal.url}`);
      await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
      await rehearsal.close();
    });
}
