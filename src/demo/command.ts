import { Argument, type Command } from 'commander';
import type { Cli } from '../cli/context';
import { serverIsConfigured } from '../machine/local-services';
import { prepare } from '../machine/prepare';
import { pipelineDemo } from './pipeline';
import { problemsDemo } from './problems';
import { rolloutDemo } from './rollout';
import { setupDemo } from './setup';

/** What `demo NAME` shows. A new demo is one more entry. */
const DEMOS: Readonly<Record<string, () => Promise<void>>> = {
  pipeline: pipelineDemo,
  rollout: rolloutDemo,
  setup: setupDemo,
  problems: problemsDemo,
};

/** `demo`: installs what is missing first, so that it works on a machine with nothing. */
export function addDemoCommand(demo: Command, cli: Cli): void {
  demo
    .addArgument(new Argument('[name]', 'which').choices(Object.keys(DEMOS)).default('pipeline'))
    .action(async (name: string) => {
      await prepare(serverIsConfigured() ? ['docker', 'image'] : ['temporal', 'docker', 'image'], (line) =>
        cli.say(line),
      );
      await DEMOS[name]!();
      // The servers that it leaves up are no reason to stay.
      process.exit(0);
    });
}
