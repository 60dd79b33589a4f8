import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type Drained, nearest, PointsmanError } from '../contract';
import { startRehearsal } from '../model/rehearsal/server';
import { count } from '../pages/figures';
import type { Role } from '../worker';
import type { Cli } from './context';
import { shareWithDaemons } from './daemon-environment';
import { runToEnd } from './follow';
import { wholeOption } from './options';

const ROLES: readonly Role[] = ['workflows', 'models', 'sandboxes'];
const JOINS_AS: readonly Role[] = ['sandboxes'];

/** `worker start`: serves in the foreground until SIGTERM or Ctrl-C, then drains. */
export function addWorkerCommands(worker: Command, cli: Cli): void {
  addDrain(worker, cli);
  worker
    .command('start')
    .description('serve in the foreground; SIGTERM and Ctrl-C drain it')
    .option('--roles <list>', `some of ${ROLES.join(',')}; all, or sandboxes for a host that joins`, rolesOption)
    .option('--join <address>', 'share the work of the hosts at this Temporal server', addressOption)
    .action(async ({ join: fleet, roles = fleet ? JOINS_AS : ROLES }: { join?: string; roles?: readonly Role[] }) => {
      if (fleet) joins(cli, fleet);
      await cli.local();
      await cli.close();
      shareWithDaemons(cli.settings);
      // The worker's native half takes most of a second to load, which no other command should wait for.
      const { serve } = require('../worker') as typeof import('../worker');
      await serve({ queue: cli.queue, roles }, cli.settings);
      cli.print({ queue: cli.queue, roles, drained: true }, () => 'drained');
    });
}

/** Before anything starts: a host with a store of its own would take work, and find nothing that it is about. */
function joins(cli: Cli, address: string): void {
  process.env.TEMPORAL_ADDRESS = address;
  const { config, home, file = join(home, 'pointsman.yaml') } = cli.settings;
  if (config.store.shared) return;
  throw new PointsmanError(
    'InvalidInput',
    `a host that joins shares the store of those that are there, and ${resolve(file)} names none`,
    'Put `store`, `images` and `payloads` there as they have them: docs/self-hosting.md, "A store that hosts share".',
  );
}

/** `host:port`, with or without a scheme; Temporal's port where none is named. */
function addressOption(text: string): string {
  const [, host = '', port = '7233'] = /^(?:[a-z]+:\/\/)?([^/:\s]+|\[[^\]]+\])(?::(\d+))?\/?$/i.exec(text.trim()) ?? [];
  if (host) return `${host}:${port}`;
  throw new InvalidArgumentError('the address of a Temporal server, as in temporal.internal:7233');
}

function addDrain(worker: Command, cli: Cli): void {
  worker
    .command('drain')
    .argument('[host]', 'name of the host; this one by default')
    .description('have a host take nothing new; what it has goes on elsewhere, or ends there, and then its worker ends')
    .action(async (name: string | undefined) => {
      const host = name ?? cli.settings.host;
      const id = `drain/${host}/${randomBytes(4).toString('hex')}`;
      const drained = await runToEnd<Drained>(cli, 'drain', { host }, { id });
      cli.print(drained, () => `${host} takes nothing new; it ends once its ${count(drained.runs, 'run')} are gone`);
    });
}

function rolesOption(text: string): readonly Role[] {
  return text.split(',').map((word) => {
    const role = ROLES.find((each) => each === word.trim());
    if (role) return role;
    const close = nearest(word, ROLES);
    throw new InvalidArgumentError(
      `no role "${word}"${close ? `, did you mean "${close}"?` : ''} (known: ${ROLES.join(', ')})`,
    );
  });
}

/** `rehearsal start`: scripted models over the OpenAI protocol, in the foreground. */
export function addRehearsalCommands(rehearsal: Command, cli: Cli): void {
  rehearsal
    .command('start')
    .description('serve a script over the OpenAI protocol until SIGTERM or Ctrl-C')
    .requiredOption('--rehearsal <script>', 'YAML or JSON file with the scripted models')
    .option('--port <n>', 'port to listen on; 0 takes a free one', wholeOption, 0)
    .option('--log <file>', 'append a line of JSON for every chat request')
    .action(async ({ rehearsal: script, port, log }: { rehearsal: string; port: number; log?: string }) => {
      const rehearsal = await startRehearsal({ script, port, log });
      cli.print({ url: rehearsal.url, port: rehearsal.port, pid: process.pid }, () => rehearsal.url);
      cli.say(`scripted models at ${rehearsal.url}; for workers: POINTSMAN_REHEARSAL_URL=${rehearsal.url}`);
      await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
      await rehearsal.close();
    });
}
