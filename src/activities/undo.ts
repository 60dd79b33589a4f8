import type { Compensation } from '../contract';
import type { Deps } from '../deps';
import { removeEnvironment } from '../environments/setup-result';
import type { Owner } from '../sandbox/labels';
import { withHeartbeat } from './heartbeat';

export function createUndoActivities(deps: Deps) {
  const { sandboxes } = deps;

  async function undoOne(owner: Owner, record: Compensation): Promise<void> {
    switch (record.kind) {
      case 'container':
        return sandboxes.remove(owner, record.role);
      case 'frame':
        return sandboxes.dropFrames(owner, [record.index]);
      case 'service':
        return sandboxes.services.remove(owner, record.name);
      case 'network':
        return sandboxes.services.removeNetwork(owner);
      case 'environment':
        return removeEnvironment(deps, record);
      case 'leftovers':
        await sandboxes.removeAll(owner.firstRunId);
        return;
      default:
        return record satisfies never;
    }
  }

  return {
    /**
     * Undoes what a run made on this host, one thing after another, past what fails. Retry-safe: what is gone counts as
     * removed.
     */
    async undo({ owner, records }: { owner: Owner; records: readonly Compensation[] }): Promise<void> {
      return withHeartbeat(async () => {
        const failed: string[] = [];
        for (const record of records) {
          await undoOne(owner, record).catch((error: Error) => failed.push(`${record.kind}: ${error.message}`));
        }
        if (failed.length > 0) throw new Error(failed.join('; '));
      });
    },
  };
}
