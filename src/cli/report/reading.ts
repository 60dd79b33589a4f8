import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { PointsmanError, type ReportResult } from '../../contract';
import { type Cli, resultFrom } from '../context';

export function pagePath({ folder, page }: ReportResult): string {
  return join(folder, page.path);
}

/** Whether the page is as the report left it: it may lie on another host, or have been built again since. */
export function pageState(result: ReportResult): 'as written' | 'changed since' | 'not on this machine' {
  const path = pagePath(result);
  if (!existsSync(path)) return 'not on this machine';
  const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
  return digest === result.page.sha256 ? 'as written' : 'changed since';
}

/** A report by workflow id or by its name. Throws `NotFound`, or what the workflow failed with. */
export async function readReport(cli: Cli, named: string): Promise<ReportResult> {
  const client = await cli.client();
  for (const id of [named, `report/${named}`]) {
    const handle = client.workflow.getHandle(id);
    const described = await handle.describe().catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    });
    if (described?.type !== 'report') continue;
    return resultFrom<ReportResult>(handle);
  }
  throw new PointsmanError(
    'NotFound',
    `there is no report "${named}" on the server`,
    `\`pointsman report list\` shows those there are; pages stay in ${join(cli.settings.home, 'reports')}.`,
  );
}
