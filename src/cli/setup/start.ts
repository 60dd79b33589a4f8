import { randomBytes } from 'node:crypto';
import { type Command, Option } from 'commander';
import { ExperienceMode, labelOfSource, type RepoSetupResult } from '../../contract';
import type { Cli } from '../context';
import { printStarted, watchCommand } from '../follow';
import { readInput, type Written } from '../input-file';
import { addInputOption, dollarsOption, type StartFlags, wholeOption } from '../options';
import { waited } from '../wait';
import { type SetupFlags, setupInput, warnOfPolicies } from './input';
import { printSetupAnswer, succeeded } from './reading';

type Flags = SetupFlags & Omit<StartFlags, 'watch'>;

/** Exit code of `--wait` for an environment that was not verified, or that was found guilty. */
const NOT_SET_UP = 3;

export const SOURCES_HELP = `
Sources:
  pypi:NAME==VER    npm:NAME@VER    go:MODULE@VER    crate:NAME@VER
  deb-src:NAME=VER  git+URL@REV     dir:PATH         archive:PATH#sha256=HEX`;

/** `setup start`: one repository, or a family of them. */
export function addSetupStart(setup: Command, cli: Cli): void {
  addInputOption(withSetupFlags(setup.command('start').description('set one repository up until its verifier passes')))
    .option('--source <source>', 'what to set up, see below')
    .option('--service <name...>', 'services it needs: postgres, redis, mysql, …')
    .option('--component <name=source...>', 'repositories that it is set up with')
    .addOption(new Option('--experience <mode>', 'how memory is used').choices(ExperienceMode.options))
    .option('--id <id>', 'workflow id; one that runs already is joined')
    .option('--no-judge', 'do without prosecutor and judge')
    .option('--wait', 'wait for the result and print it')
    .addHelpText(
      'after',
      `${SOURCES_HELP}

Exit code of --wait: 0 verified and not guilty (with --no-judge: verified),
3 otherwise, 1 an error.`,
    )
    .action(async (flags: Flags) => {
      const input = setupInput(flags.input ? readInput(flags.input) : {}, flags);
      await startSetup(cli, input, flags);
    });
}

/** What `start` and `compare` have in common. */
export function withSetupFlags(command: Command): Command {
  return command
    .option('--goal <text>', 'what has to work (default: tests and entry points)')
    .option('--base <image>', 'base image')
    .option('--agent <policy>', 'profile of the set-up agent, or builtin:playbook')
    .option('--verifier <policy>', 'profile, or builtin:rules; so are the next ones')
    .option('--prosecutor <policy>', 'who brings charges')
    .option('--judge <policy>', 'who decides on them')
    .option('--librarian <policy>', 'who picks, audits and writes experience')
    .option('--speculate <n>', 'units tried side by side', wholeOption)
    .option('--steps <n>', 'step limit', wholeOption)
    .option('--cost <usd>', 'cost limit in USD, for all roles', dollarsOption)
    .option('--no-reproduce', 'do not rebuild it from the script');
}

async function startSetup(cli: Cli, input: Written, { id, wait }: Pick<Flags, 'id' | 'wait'>): Promise<void> {
  warnOfPolicies(cli, input);
  const label = labelOfSource(String(input.source));
  const { agent = 'builtin:playbook' } = (input.roles ?? {}) as { agent?: string };
  const handle = await cli.start('repoSetup', input, {
    id: id ?? `setup/${label}-${randomBytes(4).toString('hex')}`,
    note: `${label}: ${agent}`,
  });
  const follow = watchCommand('setup', handle);
  if (!wait) {
    cli.say(`follow it: ${follow}`);
    return printStarted(cli, handle);
  }
  const result = await waited<RepoSetupResult>(cli, handle, { follow });
  await printSetupAnswer(cli, result);
  if (!succeeded(result)) process.exitCode = NOT_SET_UP;
}
