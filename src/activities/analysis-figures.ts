import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Html } from '../page/html';
import { csvOf } from '../page/report/data';
import type { Part } from '../page/report/part';
import { standaloneSvg } from '../page/standalone-svg';

/** Every figure of a part as CSV, and as SVG where it is a chart. */
export async function writeFigures(folder: string, part: Part | undefined): Promise<void> {
  for (const { id, drawn, data } of part?.figures ?? []) {
    await writeFile(join(folder, `${id}.csv`), csvOf(data));
    if (drawn instanceof Html && drawn.markup.startsWith('<svg '))
      await writeFile(join(folder, `${id}.svg`), standaloneSvg(drawn));
  }
}
