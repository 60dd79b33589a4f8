import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { nearest } from '../contract';
import type { Role } from '../worker';
import type { Cli } from './context';
import { shareWithDaemons } from './daemon-environment';

const ROLES: readonly Role[] = ['workflows', 'models', 'sandboxes'];

/** `worker start`: serves in the foreground until SIGTERM or Ctrl-C, then drains. */
export function addWorkerCommands(program: Command, cli: Cli): void {
  program
    .command('worker')
    .description('the process that does the work')
    .command('start')
    .description('serve in the foreground; SIGTERM and Ctrl-C drain it')
    .option('--roles <list>', `some of ${ROLES.join(',')}`, rolesOption, ROLES)
    .action(async ({ roles }: { roles: readonly Role[] }) => {
      await cli.local();
      await cli.close();
      shareWithDaemons(cli.settings);
      // The worker's native half takes most of a second to load, which no other command should wait for.
      const { serve } = require('../worker') as typeof import('../worker');
      await serve({ queue: cli.queue, roles }, cli.settings);
      cli.print({ queue: cli.queue, roles, drained: true }, () => 'drained');
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
