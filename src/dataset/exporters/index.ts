import type { DatasetFormat } from '../../contract/names';
import { atif } from './atif';
import { axolotl } from './axolotl';
import { distill } from './distill';
import type { Exporter } from './exporter';
import { nemoGym } from './nemo-gym';
import { openai } from './openai';
import { sharegpt, sharegptTurns } from './sharegpt';
import { skyrl } from './skyrl';
import { swesmithTicks, swesmithTool, swesmithXml } from './swesmith';
import { tokens } from './tokens';
import { traj } from './traj';
import { trl } from './trl';
import { universal } from './universal';
import { verifiers } from './verifiers';

/** Every format by its name. A new one is a file and an entry here. */
export const EXPORTERS: Readonly<Record<DatasetFormat, Exporter>> = {
  universal,
  openai,
  trl,
  axolotl,
  tokens,
  'swesmith-xml': swesmithXml,
  'swesmith-ticks': swesmithTicks,
  'swesmith-tool': swesmithTool,
  sharegpt,
  'sharegpt-turns': sharegptTurns,
  traj,
  atif,
  'nemo-gym': nemoGym,
  skyrl,
  verifiers,
  distill,
};

/** Adds one of an extension, whose name inputs may say already. */
export function addExporter(exporter: Exporter): void {
  Object.assign(EXPORTERS, { [exporter.format]: exporter });
}

export type {
  ExportContext,
  Exporter,
  FolderEntry,
  LinesExporter,
} from './exporter';
