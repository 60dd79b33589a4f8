import { bars } from '../../charts/bars';
import { grouped } from '../../figures';
import { html } from '../../html';
import { column } from '../data';
import { methodsOf, type ReportMaterial } from '../material';
import type { Figure, Part } from '../part';

/** The files that were written, what they are mixed of and under which licences. */
export function trainingSetPart(material: ReportMaterial): Part | undefined {
  const figures = [mixtureFigure(material), licenceFigure(material), filesFigure(material)].filter(
    (each) => each !== undefined,
  );
  if (figures.length === 0) return undefined;
  const { dataset } = material;
  return {
    id: 'training-set',
    title: dataset ? 'The training set' : 'What was worked on',
    intro: dataset
      ? html`<p>${grouped(dataset.result.rows)} rows with ${grouped(dataset.result.turns)} assistant turns, of which ${grouped(dataset.result.trainedTurns)} are trained; ${grouped(dataset.result.tokens)} tokens. In <code>${dataset.result.folder}</code>, with its card and the reasons for every row that was dropped.</p>`
      : html`<p>Repositories that rollouts worked on.</p>`,
    figures,
  };
}

function mixtureFigure(material: ReportMaterial): Figure | undefined {
  const mixture = material.dataset?.result.mixture ?? [];
  if (mixture.length === 0) return undefined;
  const series = methodsOf(material);
  const all = mixture.reduce((sum, { rows }) => sum + rows, 0);
  const share = (rows: number) => (all === 0 ? null : rows / all);
  return {
    id: 'mixture',
    title: 'Mixture',
    caption: 'Rows by the method that made them, and by name for those that came from elsewhere.',
    drawn: bars({
      title: 'Rows of the training set by method',
      description: mixture.map(({ name, rows }) => `${name} ${rows}`).join(', '),
      groups: [
        {
          title: '',
          bars: mixture.map(({ name, rows }) => ({
            label: name,
            segments: [{ value: rows, fill: { series: series.get(name) ?? 7 }, says: `${name}: ${rows}` }],
            value: `${grouped(rows)}${all === 0 ? '' : `  (${((rows / all) * 100).toFixed(1)} %)`}`,
          })),
        },
      ],
      axis: 'rows',
      whole: true,
    }),
    data: {
      columns: [column('name', 'method', 'text'), column('rows', 'rows'), column('share', 'share', 'share')],
      rows: mixture.map(({ name, rows }) => [name, rows, share(rows)]),
    },
  };
}

/** Of the repositories behind rollouts, and of rows that came from elsewhere. */
function licenceFigure({ rows, dropped, dataset }: ReportMaterial): Figure | undefined {
  if (rows.length === 0) return undefined;
  // Which rows of a data set that was made of other rollouts are kept cannot be told from here.
  const planned = dataset?.result.funnels.reduce((sum, { funnel }) => sum + (funnel.stages[0]?.count ?? 0), 0);
  const gone = dropped && planned === rows.length ? new Set(dropped) : null;
  const found = new Map<string, { instances: Set<string>; rollouts: number; kept: number }>();
  const tallyOf = (licence: string | null | undefined) => {
    const name = licence ?? 'not stated';
    const tally = found.get(name) ?? { instances: new Set(), rollouts: 0, kept: 0 };
    found.set(name, tally);
    return tally;
  };
  for (const { id, instance, licence } of rows) {
    const tally = tallyOf(licence);
    tally.instances.add(instance);
    tally.rollouts += 1;
    tally.kept += gone && !gone.has(id) ? 1 : 0;
  }
  const { extra = [] } = (dataset?.input ?? {}) as { extra?: readonly { name: string; licence?: string }[] };
  for (const { name, licence } of extra)
    tallyOf(licence).kept += dataset?.result.mixture.find((each) => each.name === name)?.rows ?? 0;
  const sorted = [...found].sort(([a, one], [b, other]) => other.rollouts - one.rollouts || (a < b ? -1 : 1));
  return {
    id: 'licences',
    title: 'Licences',
    caption: gone
      ? 'Of the repositories, as each problem states it, and of rows from elsewhere. What is trained on is under “kept”.'
      : 'Of the repositories, as each problem states it.',
    data: {
      columns: [
        column('licence', 'licence', 'text'),
        column('instances', 'instances'),
        column('rollouts', 'rollouts'),
        ...(gone ? [column('kept', 'kept')] : []),
      ],
      rows: sorted.map(([name, { instances, rollouts, kept }]) => [
        name,
        instances.size,
        rollouts,
        ...(gone ? [kept] : []),
      ]),
    },
  };
}

function filesFigure({ dataset }: ReportMaterial): Figure | undefined {
  if (!dataset) return undefined;
  return {
    id: 'dataset-files',
    title: 'Files',
    caption:
      'SHA-256 of each file as it was written. Left out: rows, or parts of them, that the format cannot hold; the card says why.',
    data: {
      columns: [
        column('path', 'file', 'text'),
        column('format', 'format', 'text'),
        column('split', 'split', 'text'),
        column('rows', 'rows'),
        column('bytes', 'size', 'bytes'),
        column('left_out', 'left out'),
        column('sha256', 'SHA-256', 'id'),
      ],
      rows: dataset.result.files.map(({ path, format, split, rows, bytes, sha256, left }) => [
        path,
        format,
        split,
        rows,
        bytes,
        left.reduce((sum, { count }) => sum + count, 0),
        sha256,
      ]),
    },
  };
}
