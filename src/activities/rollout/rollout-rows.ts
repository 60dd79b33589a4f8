import { readFile } from 'node:fs/promises';
import { Context } from '@temporalio/activity';
import { PointsmanError, type RolloutRow, type RolloutSource } from '../../contract';
import type { Deps } from '../../deps';
import { rowsOf } from '../../store/campaigns';
import { rowOfRun } from '../../store/history';

/** The rollouts that sources name, each once, in the order of the sources, with what a review said of them. Reads only. */
export async function rowsOfSources(
  deps: Pick<Deps, 'blobs' | 'campaigns' | 'reviews' | 'roots'>,
  sources: readonly RolloutSource[],
): Promise<RolloutRow[]> {
  const rows = new Map<string, RolloutRow>();
  for (const source of sources) for (const row of await rowsOfSource(deps, source)) rows.set(row.id, row);
  const reviewed = await deps.reviews.reviewed();
  return Promise.all(
    [...rows.values()].map(async (row) => {
      const review = reviewed.has(row.id) ? await deps.reviews.of(row.id) : undefined;
      return review ? { ...row, review } : row;
    }),
  );
}

async function rowsOfSource(
  { blobs, campaigns, roots }: Pick<Deps, 'blobs' | 'campaigns' | 'roots'>,
  source: RolloutSource,
): Promise<RolloutRow[]> {
  if ('campaign' in source) return campaigns.rows(source.campaign);
  if ('runs' in source) {
    const { client } = Context.current();
    return Promise.all(source.runs.map((id) => rowOfRun(client, id, source.method)));
  }
  const { rollouts } = source;
  if (typeof rollouts !== 'string') {
    const name = `blob ${rollouts.sha256.slice(0, 12)}`;
    return rowsOf((await blobs.get(rollouts.sha256)).toString('utf8'), name);
  }
  const text = await readFile(await roots.here(rollouts, 'rollouts'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new PointsmanError(
      'InvalidInput',
      `rollouts: ${rollouts} cannot be read: ${error.message}`,
      'Give a path that the host of the worker can read.',
    );
  });
  return rowsOf(text, rollouts);
}
