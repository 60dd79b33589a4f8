import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RolloutSource } from '../contract';

/** A file of rollouts or the id of a campaign. The worker runs in another folder, so a path is handed to it in full. */
export function sourceOf(named: string): RolloutSource {
  return existsSync(named) ? { rollouts: resolve(named) } : { campaign: named };
}
