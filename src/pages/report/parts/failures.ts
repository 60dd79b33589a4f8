import { type FailureTableRow, JudgedCategory } from '../../../contract';
import { bars } from '../../charts/bars';
import { legend } from '../../charts/fill';
import { html } from '../../html';
import { column } from '../data';
import { methodsOf, type ReportMaterial } from '../material';
import type { Figure, Part } from '../part';
import { spaced } from '../words';
import { failureData, failureTable } from './failure-table';

/** Why unresolved rollouts failed, as a judge sees it. */
export function failuresPart(material: ReportMaterial): Part | undefined {
  const { failureAnalysis } = material;
  if (!failureAnalysis || failureAnalysis.result.table.length === 0) return undefined;
  const { table, judge, notGraded, notJudged } = failureAnalysis.result;
  const rules = judge.startsWith('builtin:');
  const data = failureData(table);
  const left = [
    ...(notGraded > 0 ? [`${notGraded} without a grade`] : []),
    ...(notJudged > 0 ? [`${notJudged} without a verdict`] : []),
  ];
  return {
    id: 'failures',
    title: 'Why rollouts fail',
    intro: html`<p>Every unresolved rollout got one of ten categories from its last turns. Judge: <code>${judge}</code>.${left.length > 0 ? ` Left out: ${left.join(' and ')}.` : null}${rules ? html` <span class="note">This judge follows rules: it recognises loops, endless reading, listings that fill the context and syntax errors, and calls all else “other”. Its shares are not comparable with those of a model.</span>` : null}</p>`,
    figures: [
      categoryFigure(table, material),
      {
        id: 'failure-table',
        title: 'Failures, submitted and not',
        caption:
          'In the layout of the paper’s table 3. Shares in percent: of all rollouts (resolved), of the unresolved (submitted), and of the submitted and the others (errors). “Other” holds every category that has no column of its own.',
        drawn: failureTable(data),
        data,
      },
    ],
  };
}

function categoryFigure(table: readonly FailureTableRow[], material: ReportMaterial): Figure {
  const series = methodsOf(material);
  const rows = table.flatMap(({ method, whenSubmitted, whenNotSubmitted }) =>
    JudgedCategory.options.map((category) => ({
      method,
      category,
      submitted: whenSubmitted[category] ?? 0,
      not: whenNotSubmitted[category] ?? 0,
    })),
  );
  return {
    id: 'failure-categories',
    title: 'Failures by category',
    caption: 'Counts of unresolved rollouts: solid those that submitted a patch, hatched those that did not.',
    drawn: [
      legend([
        { label: 'submitted', fill: { series: 0 } },
        { label: 'not submitted', fill: { series: 0, texture: 'hatch' } },
      ]),
      bars({
        title: 'Unresolved rollouts by category of failure',
        description: rows
          .filter((row) => row.submitted + row.not > 0)
          .map(({ method, category, submitted, not }) => `${method}: ${spaced(category)} ${submitted + not}`)
          .join(', '),
        groups: table.map(({ method, submitted, notSubmitted }) => ({
          title: `${method}, ${submitted + notSubmitted} unresolved`,
          bars: rows
            .filter((row) => row.method === method && row.submitted + row.not > 0)
            .map(({ category, submitted: yes, not }) => ({
              label: spaced(category),
              segments: [
                { value: yes, fill: { series: series.get(method) ?? 0 }, says: `submitted: ${yes}` },
                {
                  value: not,
                  fill: { series: series.get(method) ?? 0, texture: 'hatch' as const },
                  says: `not submitted: ${not}`,
                },
              ],
              value: `${yes + not}${not > 0 && yes > 0 ? `  (${yes} + ${not})` : ''}`,
            })),
        })),
        axis: 'rollouts',
        whole: true,
      }),
    ],
    data: {
      columns: [
        column('method', 'method', 'text'),
        column('category', 'category', 'word'),
        column('submitted', 'submitted'),
        column('not_submitted', 'not submitted'),
      ],
      rows: rows.map(({ method, category, submitted, not }) => [method, category, submitted, not]),
    },
  };
}
