import type { Command } from 'commander';
import type { Cli } from './context';
import { stopServices } from './services-down';
import { serviceStatus, statusText } from './services-status';
import { startServices } from './services-up';

/** `up`, `down`, `status`: everything that runs in the background on this machine for this home. */
export function addServiceCommands(program: Command, cli: Cli): void {
  program
    .command('up')
    .description('start server, worker and (with a script) rehearsal in the background')
    .option('--rehearsal <script>', 'serve scripted models to the profiles of provider "rehearsal"')
    .action(async ({ rehearsal }: { rehearsal?: string }) => {
      await startServices(cli, rehearsal);
      const status = await serviceStatus(cli);
      cli.print(status, () => statusText(status));
    });
  program
    .command('down')
    .description('stop all that this home started; runs go on at the next `up`')
    .action(async () => {
      const stopped = await stopServices();
      cli.print({ stopped }, () => (stopped.length === 0 ? 'nothing was running' : `stopped ${stopped.join(', ')}`));
    });
  program
    .command('status')
    .description('say what runs and where; starts nothing')
    .action(async () => {
      const status = await serviceStatus(cli);
      cli.print(status, () => statusText(status));
      if (!status.server.answers || !status.worker.polling) process.exitCode = 1;
    });
}
