import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { POINT_COLUMNS } from '../analysis/shift/points-table';
import { type Missing, type ShiftFigures, shiftReadme } from '../analysis/shift/readme';
import type { CovariateShiftInput } from '../contract';
import { column, csvOf } from '../page/report/data';
import { shiftPart } from '../page/report/parts/shift';
import { writeFigures } from './analysis-figures';

export interface ShiftToWrite {
  readonly input: CovariateShiftInput;
  readonly figures: ShiftFigures;
  readonly missing: readonly Missing[];
}

/** `points.csv`, the figures that the report shows too, each as SVG and CSV, and a README that says how they were made. */
export async function writeShift(folder: string, { input, figures, missing }: ShiftToWrite): Promise<void> {
  const data = {
    columns: POINT_COLUMNS.map(([key]) => column(key, key)),
    rows: figures.points.map((point) => POINT_COLUMNS.map(([, of]) => of(point))),
  };
  await writeFile(join(folder, 'points.csv'), csvOf(data));
  await writeFile(join(folder, 'README.md'), shiftReadme(input, figures, missing));
  const result = { ...figures, folder: '', files: [] };
  const run = { result, type: 'covariateShift', input, queue: null, startedAt: null, endedAt: null };
  await writeFigures(folder, shiftPart({ covariateShift: run }));
}
