import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { PointsmanError, type RepoSetupResult } from '../../contract';
import { quote } from '../../rollout/shell';
import type { Cli } from '../context';
import { waited, watchCommand } from '../follow';

/**
 * Sets a source up under this id and waits for it: a build begins with what it leaves. One that runs is joined, and one that
 * has left an environment is taken as it is. Throws `Unavailable` where none comes of it.
 */
export async function setUpFirst(cli: Cli, source: string, id: string): Promise<void> {
  const handle = (await cli.client()).workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown): WorkflowExecutionDescription | undefined => {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  });
  if (described?.status.name === 'COMPLETED' && ((await handle.result()) as RepoSetupResult).image) {
    cli.say(`set up before: ${id}`);
    return;
  }
  cli.say(`sets ${source} up first: ${id}`);
  const begun = await cli.start('repoSetup', { source }, { id, note: `${source}, for its functions` });
  const { status, image, detail } = await waited<RepoSetupResult>(cli, begun, watchCommand('setup', begun));
  if (image) return cli.say(`set up: ${image}`);
  throw new PointsmanError(
    'Unavailable',
    `${source} could not be set up: ${status.replaceAll('_', ' ')}${detail ? ` (${detail})` : ''}`,
    `\`pointsman setup show ${quote(id)}\` shows why; \`--image\` takes an environment of your own.`,
  );
}
