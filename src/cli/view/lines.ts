import { readFile } from 'node:fs/promises';
import { type CampaignProgress, type InFlight, PointsmanError, type RolloutRow } from '../../contract';
import type { RunLine } from '../../pages/viewer/payload';
import { rowsOf } from '../../store/campaigns';
import type { Cli } from '../context';
import { attributesOf, statusOf } from '../lookup';

/** What a viewer shows; all empty is everything there is. */
export interface ViewChoice {
  /** Workflow ids. */
  readonly campaigns: readonly string[];
  /** A file of rollout rows. */
  readonly rollouts?: string;
  /** Workflow ids of rollouts, or hashes of heads. */
  readonly runs: readonly string[];
  readonly setups: readonly string[];
  /** A data set by name or folder: the rollouts that it was made of, and what it says of any other that it has. */
  readonly dataset?: string;
}

export interface Listed {
  readonly rows: readonly RolloutRow[];
  /** Runs that only the server knows. */
  readonly lines: readonly RunLine[];
  readonly notes: readonly string[];
}

const NEWEST = 500;

/** The runs that were chosen; without a choice all campaigns that are kept here and the server's newest runs. */
export async function listed(cli: Cli, choice: ViewChoice, server: boolean): Promise<Listed> {
  const notes: string[] = [];
  const rows: RolloutRow[] = [];
  const lines: RunLine[] = [];
  for (const campaign of choice.campaigns) {
    const kept = (await cli.campaigns.list()).includes(campaign) || !server;
    if (kept) rows.push(...(await cli.campaigns.rows(campaign)));
    else {
      const far = await runningCampaign(cli, campaign);
      rows.push(...far.rows);
      lines.push(...far.lines);
      notes.push(
        `${campaign} is still running: ${far.rows.length} rollouts have ended, ${far.lines.length} are in flight.`,
      );
    }
  }
  if (choice.rollouts !== undefined) rows.push(...(await rowsOfFile(choice.rollouts)));
  if (!isOpen(choice)) return { rows, lines, notes };
  for (const campaign of await cli.campaigns.list()) rows.push(...(await cli.campaigns.rows(campaign)));
  if (server) lines.push(...(await serverLines(cli)));
  else notes.push('No Temporal server answers: runs that no campaign kept are not listed (`pointsman up` starts one).');
  return { rows, lines, notes };
}

/** Nothing was chosen, so everything is. */
export function isOpen({ campaigns, rollouts, runs, setups, dataset }: ViewChoice): boolean {
  return campaigns.length + runs.length + setups.length === 0 && rollouts === undefined && dataset === undefined;
}

export async function rowsOfFile(file: string): Promise<RolloutRow[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new PointsmanError(
      'InvalidInput',
      `rollouts: ${file} cannot be read: ${error.message}`,
      'Give a file of rollout rows, as `pointsman campaign export` writes them.',
    );
  });
  return rowsOf(text, file);
}

/** Rows that a campaign has written so far, and what it has in flight. Throws where it does not answer. */
async function runningCampaign(cli: Cli, id: string): Promise<{ rows: RolloutRow[]; lines: RunLine[] }> {
  const client = await cli.client();
  const asked = () => client.workflow.getHandle(id).query<CampaignProgress>('progress');
  const { pages, inFlight } = await client.withDeadline(Date.now() + 5_000, asked).catch((error: Error) => {
    throw new PointsmanError(
      'NotFound',
      `campaign: "${id}" is not kept here and does not answer: ${error.message}`,
      '`pointsman campaign list` shows those there are; one that runs needs its worker to answer.',
    );
  });
  const texts = await Promise.all(pages.map(async ({ sha256 }) => (await cli.blobs.get(sha256)).toString('utf8')));
  return { rows: texts.flatMap((text) => rowsOf(text, id)), lines: inFlight.map(lineInFlight) };
}

function lineInFlight({ id, instance, method, pass, startedAt }: InFlight): RunLine {
  return { ...unknownLine(id), instance, method, pass, startedAt, status: 'running' };
}

async function serverLines(cli: Cli): Promise<RunLine[]> {
  const client = await cli.client();
  const lines: RunLine[] = [];
  const query = "WorkflowType = 'rollout' OR WorkflowType = 'repoSetup'";
  for await (const each of client.workflow.list({ query, pageSize: 100 })) {
    if (lines.length >= NEWEST) break;
    const { InstanceId, Student, Expert, Outcome, Step, SwitchIndex, CostUsd, Resolved } = attributesOf(each);
    const status = statusOf(each);
    lines.push({
      ...unknownLine(each.workflowId),
      kind: each.type === 'rollout' ? 'rollout' : 'setup',
      instance: InstanceId ?? each.workflowId,
      status: status === 'completed' ? (Outcome ?? status) : status,
      resolved: Resolved ?? null,
      student: Student ?? null,
      expert: Expert ?? null,
      k: SwitchIndex ?? null,
      turns: Step === undefined ? null : { total: Step, student: 0, expert: 0, refused: 0 },
      usd: CostUsd ?? null,
      seconds: each.closeTime ? (each.closeTime.getTime() - each.startTime.getTime()) / 1000 : null,
      startedAt: each.startTime.getTime(),
    });
  }
  return lines;
}

/** A line of which nothing but its name is known. */
export function unknownLine(id: string): RunLine {
  return {
    id,
    kind: 'rollout',
    instance: id,
    method: null,
    pass: null,
    status: 'unknown',
    resolved: null,
    student: null,
    expert: null,
    k: null,
    expertFrom: null,
    handOverReason: null,
    turns: null,
    usd: null,
    tokens: null,
    seconds: null,
    startedAt: null,
    loss: null,
    dataset: null,
    note: null,
  };
}
