import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { DroppedRow, isPointsmanError, jsonLines, type RolloutRow, type RolloutSource } from '../../contract';
import type { Training } from '../../pages/viewer/mask';
import type { RunLine } from '../../pages/viewer/payload';
import { rowsOf } from '../../store/campaigns';
import { rowOfRun } from '../../store/history';
import type { Cli } from '../context';
import { originsIn, readDataset } from '../dataset/folder';
import { rowsOfFile } from './lines';

type RunsSource = Extract<RolloutSource, { runs: unknown }>;

/** A data set's word on the rollouts that it was made of. */
export interface DatasetWord {
  readonly rows: readonly RolloutRow[];
  /** Exactly what is trained, by the rollout's id; of what was dropped that is nothing. */
  readonly training: ReadonlyMap<string, Training>;
  /** The line with what became of the run in this data set. */
  line(line: RunLine): RunLine;
  readonly notes: readonly string[];
}

/** Reads a data set's folder and the rollouts that it names; single runs only where a server answers. Throws `NotFound`. */
export async function datasetWord(cli: Cli, named: string, server: boolean): Promise<DatasetWord> {
  const { manifest, ...found } = await readDataset(cli, named);
  const folder = await found.folder();
  const kept = originsIn(folder);
  const dropped = new Map(droppedIn(folder).map((row) => [row.id, row]));
  const { dialect } = manifest.view;
  const training = new Map<string, Training>([
    ...[...dropped.keys()].map((id) => [id, { dialect, turns: [] }] as const),
    ...kept.map(({ id, trained }) => [id, { dialect, turns: trained }] as const),
  ]);
  const rows: RolloutRow[] = [];
  for (const source of manifest.input.sources) {
    if ('campaign' in source) rows.push(...(await cli.campaigns.rows(source.campaign)));
    else if ('rollouts' in source) rows.push(...(await rowsIn(cli, source.rollouts)));
    else if ('runs' in source) rows.push(...(server ? await rowsOfRuns(await cli.client(), source) : []));
  }
  const known = new Set(rows.map(({ id }) => id));
  const foreign = kept.filter(({ id }) => !known.has(id)).length;
  return {
    rows: rows.filter(({ id }) => training.has(id)),
    training,
    line: (line) => {
      if (!training.has(line.id)) return line;
      const { reason = null, detail = null } = dropped.get(line.id) ?? {};
      return { ...line, loss: reason, dataset: { name: manifest.name, detail } };
    },
    notes:
      foreign === 0
        ? []
        : [`${foreign} of ${kept.length} rows of ${manifest.name} are of rollouts that are no longer here.`],
  };
}

/** Without those that the server has forgotten: their rows are counted among the missing. */
export async function rowsOfRuns(client: Client, { runs, method }: RunsSource): Promise<RolloutRow[]> {
  const rows = runs.map((id) =>
    rowOfRun(client, id, method).catch((error: unknown) => {
      if (isPointsmanError(error)) return [];
      throw error;
    }),
  );
  return (await Promise.all(rows)).flat();
}

async function rowsIn(cli: Cli, rollouts: string | { readonly sha256: string }): Promise<RolloutRow[]> {
  if (typeof rollouts === 'string') return rowsOfFile(await cli.stores.roots.here(rollouts, 'rollouts'));
  return rowsOf((await cli.blobs.get(rollouts.sha256)).toString('utf8'), `blob ${rollouts.sha256.slice(0, 12)}`);
}

function droppedIn(folder: string): DroppedRow[] {
  const file = join(folder, 'dropped.jsonl');
  return jsonLines(DroppedRow, readFileSync(file, 'utf8'), file);
}
