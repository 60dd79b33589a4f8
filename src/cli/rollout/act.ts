import type { Client } from '@temporalio/client';
import type { PersonAct, PersonActed } from '../../contract';
import { explain } from '../server-errors';

/** A worker has to take what is done: this long it may be restarting. */
const PATIENCE_MS = 30_000;

/** Makes a turn that waits for a person, and gives what came of it once the sandbox has answered. Throws why it was refused. */
export async function actAsPerson(client: Client, id: string, act: PersonAct): Promise<PersonActed> {
  const handle = client.workflow.getHandle(id);
  try {
    const update = await client.withDeadline(Date.now() + PATIENCE_MS, () =>
      handle.startUpdate<PersonActed, [PersonAct]>('act', { args: [act], waitForStage: 'ACCEPTED' }),
    );
    return await update.result();
  } catch (error) {
    throw explain(error);
  }
}
