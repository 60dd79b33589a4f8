import type { Command } from 'commander';
import { diagnose, printFindings } from '../provision/doctor';
import type { Cli } from './context';

/** `doctor`: what is there, what is missing, what to do. Ends non-zero when something will fail. */
export function addDoctorCommand(program: Command, cli: Cli): void {
  program
    .command('doctor')
    .description('say what is there, what is missing and what to do')
    .action(async () => {
      const findings = await diagnose();
      const ok = findings.every(({ state }) => state !== 'missing');
      cli.print({ ok, findings }, () => printFindings(findings));
      if (!ok) process.exitCode = 1;
    });
}
