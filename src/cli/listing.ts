import type { WorkflowExecutionInfo } from '@temporalio/client';
import { nearest, PointsmanError } from '../contract';
import type { Cli } from './context';

/** What the server's visibility finds, newest first and at most so many. Says how to ask by hand. */
export async function newest(cli: Cli, query: string, limit: number): Promise<WorkflowExecutionInfo[]> {
  const client = await cli.client();
  const found: WorkflowExecutionInfo[] = [];
  for await (const each of client.workflow.list({ query, pageSize: Math.min(limit, 200) || 1 })) {
    if (found.length >= limit) break;
    found.push(each);
  }
  cli.say(`by hand: temporal workflow list --query "${query}"`);
  return found;
}

/** A condition of a visibility query. */
export function equals(attribute: string, value: string): string {
  return `${attribute} = '${value.replaceAll("'", "''")}'`;
}

const STATUSES: Readonly<Record<string, string>> = {
  running: "ExecutionStatus = 'Running'",
  completed: "ExecutionStatus = 'Completed'",
  failed: "ExecutionStatus = 'Failed'",
  cancelled: "ExecutionStatus = 'Canceled'",
  terminated: "ExecutionStatus = 'Terminated'",
};

/**
 * The condition for a word that may be a status of the workflow, one of `own` (words with their conditions) or an outcome.
 * Throws `InvalidInput` with the word that comes closest.
 */
export function statusCondition(
  status: string,
  own: Readonly<Record<string, string>>,
  outcomes: readonly string[],
): string {
  const condition =
    STATUSES[status] ?? own[status] ?? (outcomes.includes(status) ? equals('Outcome', status) : undefined);
  if (condition) return condition;
  const known = [...new Set([...Object.keys(STATUSES), ...Object.keys(own), ...outcomes])];
  const close = nearest(status, known);
  throw new PointsmanError(
    'InvalidInput',
    `--status: no status "${status}"${close ? `, did you mean "${close}"?` : ''}`,
    `Known: ${known.join(', ')}.`,
  );
}
