import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import type { Command } from 'commander';
import type { CampaignProgress, CampaignResult, InFlight, RolloutProgress } from '../../contract';
import { type Cli, look } from '../context';
import { NO_WORKER, watchCommand } from '../follow';
import { askProgress } from '../lookup';
import { type LiveRollout, liveLines, progressLine } from '../terminal/campaign/report';
import { ended, resultOf, retried } from '../wait';
import { printCampaignAnswer, readCampaign } from './reading';

/** Rollouts that are asked each time: a terminal shows no more, and each takes two questions. */
const MOST = 20;
/** Lines of a terminal that the table leaves free. */
const FREE_LINES = 7;

/** `campaign watch`: a live table on a terminal, plain lines elsewhere; then the result. */
export function addCampaignWatch(campaign: Command, cli: Cli): void {
  campaign
    .command('watch <id>')
    .description('follow a campaign live, to its end')
    .action(async (id: string) => {
      // Refuses what is no campaign before anything is waited for.
      await readCampaign(cli, id);
      const handle = (await cli.client()).workflow.getHandle(id);
      printCampaignAnswer(cli, await followCampaign(cli, handle));
    });
}

/** Shows on standard error where it is until it ends. A worker that is killed meanwhile is waited for. */
export async function followCampaign(cli: Cli, handle: WorkflowHandle): Promise<CampaignResult> {
  const client = await cli.client();
  const board = new Board(process.stderr);
  const look = async (described: WorkflowExecutionDescription) => {
    const progress = await askProgress<CampaignProgress>(client, handle);
    const trouble = retried(described);
    if (!progress) board.say([NO_WORKER]);
    else if (!board.live) board.say([[progressLine(progress), trouble].filter(Boolean).join(' · ')]);
    else board.say([...(await liveTable(client, progress, board.lines)), ...(trouble ? [trouble] : [])]);
  };
  const ending = await ended<CampaignResult>(cli, handle, { follow: watchCommand('campaign', handle), look });
  board.clear();
  return resultOf(ending);
}

async function liveTable(client: Client, progress: CampaignProgress, lines: number): Promise<string[]> {
  const shown = progress.inFlight.slice(0, Math.max(1, Math.min(MOST, lines - FREE_LINES)));
  const rollouts = await Promise.all(shown.map((each) => liveRollout(client, each)));
  return liveLines(progress, rollouts, progress.inFlight.length - shown.length, {
    ...look(),
    width: Math.min(120, Math.max(40, process.stderr.columns ?? 80)),
  });
}

/** One that no worker answers for is shown all the same. */
async function liveRollout(client: Client, rollout: InFlight): Promise<LiveRollout> {
  const handle = client.workflow.getHandle(rollout.id);
  const asked = <T>(query: string) =>
    client.withDeadline(Date.now() + 2_000, () => handle.query<T>(query)).catch(() => undefined);
  const [progress, transcript] = await Promise.all([
    asked<RolloutProgress>('progress'),
    asked<{ recent: readonly { action: string }[] }>('transcript'),
  ]);
  const { id, instance, method, pass, startedAt } = rollout;
  return {
    id,
    instance,
    method,
    pass,
    ageMs: Date.now() - startedAt,
    phase: progress?.phase ?? null,
    turn: progress?.turn ?? null,
    costUsd: progress?.spent.costUsd ?? null,
    action: transcript?.recent.at(-1)?.action ?? null,
  };
}

/** Lines that are drawn over one another on a terminal, and written once per change elsewhere. */
class Board {
  private drawn = 0;
  private said = '';

  constructor(private readonly stream: NodeJS.WriteStream) {}

  get live(): boolean {
    return this.stream.isTTY === true;
  }

  get lines(): number {
    return this.stream.rows ?? 24;
  }

  say(lines: readonly string[]): void {
    const text = lines.join('\n');
    if (this.live) {
      this.clear();
      this.stream.write(`${text}\n`);
      this.drawn = lines.length;
    } else if (text !== this.said) this.stream.write(`· ${text}\n`);
    this.said = text;
  }

  clear(): void {
    // Up to the first line that was drawn, and everything from there on away.
    if (this.drawn > 0) this.stream.write(`\u001b[${this.drawn}A\u001b[0J`);
    this.drawn = 0;
  }
}
