import type { Command } from 'commander';
import type { Author, RolloutProgress, RolloutResult } from '../../contract';
import { quote } from '../../rollout/shell';
import { type Cli, look } from '../context';
import { NO_WORKER, watchCommand } from '../follow';
import { askProgress } from '../lookup';
import { turnLines } from '../terminal/turn';
import { endingLines } from '../terminal/verdict';
import { ended, resultOf, retried } from '../wait';
import { loadSteps, printAnswer, readRun } from './reading';

const POLL_MS = 500;

/** `rollout watch`: each turn as it comes, then the result. A worker that is killed meanwhile is waited for. */
export function addWatch(rollout: Command, cli: Cli): void {
  rollout
    .command('watch <id>')
    .description('follow a rollout live, to its end')
    .option('--full', 'nothing folded')
    .action(async (id: string, { full }: { full?: boolean }) => {
      const client = await cli.client();
      const handle = client.workflow.getHandle(id);
      const { raw, runId } = await handle.describe();
      const follower = new Follower(
        cli,
        raw.workflowExecutionInfo?.firstRunId || runId,
        full ?? false,
        `pointsman rollout attach ${quote(id)}`,
      );
      const ending = await ended<RolloutResult>(cli, handle, {
        follow: watchCommand('rollout', handle),
        everyMs: POLL_MS,
        look: async (described) => follower.show(await askProgress(client, handle), retried(described)),
      });
      const run = await readRun(cli, id);
      if (run.head) await follower.showUpTo(run.head);
      if (!cli.json) process.stdout.write(`${endingLines(run, look(full)).join('\n')}\n`);
      const result = resultOf(ending);
      if (cli.json) await printAnswer(cli, result);
    });
}

/** What was shown so far; with `--json` turns are left out, because stdout is the one object at the end. */
class Follower {
  private shown = 0;
  private author: Author | undefined;
  private head: string | undefined;
  private said = '';

  constructor(
    private readonly cli: Cli,
    private readonly run: string,
    private readonly full: boolean,
    /** The command that makes a turn which waits for a person. */
    private readonly attach: string,
  ) {}

  async show(progress: RolloutProgress | undefined, trouble: string | undefined): Promise<void> {
    const waits = progress?.awaiting && `turn ${progress.awaiting.turn} waits for a person: ${this.attach}`;
    this.say(progress ? (trouble ?? waits ?? progress.phase.toLowerCase()) : NO_WORKER);
    if (progress?.head) await this.showUpTo(progress.head);
  }

  async showUpTo(head: string): Promise<void> {
    if (head === this.head) return;
    const chain = await loadSteps(this.cli, head, this.run).catch((error: Error) => this.say(error.message));
    this.head = head;
    for (const step of chain?.steps.slice(this.shown) ?? []) {
      if (!this.cli.json) process.stdout.write(`${turnLines(step, this.author, look(this.full)).join('\n')}\n`);
      this.author = step.turn.author;
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
