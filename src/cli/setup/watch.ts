import type { Command } from 'commander';
import type { RepoSetupResult, SetupProgress } from '../../contract';
import { count } from '../../pages/figures';
import { type Cli, look } from '../context';
import { NO_WORKER, watchCommand } from '../follow';
import { askProgress } from '../lookup';
import { setupEnding } from '../terminal/setup/header';
import { setupStepLines } from '../terminal/setup/move';
import { ended, resultOf, retried } from '../wait';
import { loadSetupSteps, printSetupAnswer, readSetup } from './reading';

const POLL_MS = 500;

/** `setup watch`: each step as it comes, then how it ended. A worker that is killed meanwhile is waited for. */
export function addSetupWatch(setup: Command, cli: Cli): void {
  setup
    .command('watch <id>')
    .description('follow a set-up live, to its end')
    .option('--full', 'nothing folded')
    .action(async (id: string, { full = false }: { full?: boolean }) => {
      const client = await cli.client();
      const handle = client.workflow.getHandle(id);
      // Refuses what is no set-up before anything is waited for.
      await readSetup(cli, id);
      const follower = new Follower(cli, full);
      const ending = await ended<RepoSetupResult>(cli, handle, {
        follow: watchCommand('setup', handle),
        everyMs: POLL_MS,
        look: async (described) => follower.show(await askProgress(client, handle), retried(described)),
      });
      const run = await readSetup(cli, id);
      if (run.head) await follower.showUpTo(run.head);
      if (!cli.json) process.stdout.write(`${setupEnding(run, look(full)).join('\n')}\n`);
      const result = resultOf(ending);
      if (cli.json) await printSetupAnswer(cli, result);
    });
}

/** What was shown so far; with `--json` steps are left out, because stdout is the one object at the end. */
class Follower {
  private shown = 0;
  private head: string | undefined;
  private said = '';

  constructor(
    private readonly cli: Cli,
    private readonly full: boolean,
  ) {}

  async show(progress: SetupProgress | undefined, trouble: string | undefined): Promise<void> {
    this.say(progress ? (trouble ?? doing(progress)) : NO_WORKER);
    if (progress?.head) await this.showUpTo(progress.head);
  }

  async showUpTo(head: string): Promise<void> {
    if (head === this.head) return;
    const chain = await loadSetupSteps(this.cli, head).catch((error: Error) => this.say(error.message));
    if (!chain) return;
    this.head = head;
    for (const step of chain.steps.slice(this.shown)) {
      if (!this.cli.json) process.stdout.write(`${setupStepLines(step, look(this.full)).join('\n')}\n`);
      this.shown += 1;
    }
  }

  /** Once per change: a line of status, not a stream of it. */
  private say(line: string): void {
    if (line === this.said) return;
    this.said = line;
    this.cli.say(`· ${line}`);
  }
}

function doing({ phase, frames, services, suggested }: SetupProgress): string {
  return [
    phase.toLowerCase(),
    count(frames.length, 'frame'),
    ...(services.length > 0 ? [`services ${services.join(', ')}`] : []),
    ...(suggested.length > 0 ? [`suggested ${suggested.join(', ')}`] : []),
  ].join(' · ');
}
