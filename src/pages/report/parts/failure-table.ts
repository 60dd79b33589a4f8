import type { FailureCategory, FailureTableRow } from '../../../contract';
import { type Html, html } from '../../html';
import { type Cell, column, type Data } from '../data';
import { cellText } from '../words';
import { PAPER_FAILURES } from './paper-figures';

type Counts = FailureTableRow['whenSubmitted'];

/** Columns of the paper's table 3 under each ending, and the categories that each one holds. */
const SUBMITTED: readonly (readonly [key: string, title: string, categories: readonly FailureCategory[]])[] = [
  ['wrong_solution', 'wrong solution', ['wrong_solution']],
  ['syntax_error', 'syntax error', ['syntax_error']],
  ['wrong_file', 'wrong file', ['identified_incorrect_file']],
  ['misunderstood', 'misread task', ['misunderstood_problem_statement']],
  ['edge_case', 'edge case', ['missed_edge_case']],
];
const NOT_SUBMITTED: typeof SUBMITTED = [
  ['tool_error', 'tool use', ['tool_error']],
  ['long_context', 'long context', ['context_overflow_from_listing']],
  ['stuck_in_loop', 'stuck in loop', ['infinite_loop', 'endless_file_reading']],
];

/** Ours, then the paper's rows; what the paper has no column for is in `other`, which it does not have for unsubmitted ones. */
export function failureData(table: readonly FailureTableRow[]): Data {
  const share = (part: number, of: number): Cell => (of === 0 ? null : part / of);
  const grouped = (counts: Counts, columns: typeof SUBMITTED) =>
    columns.map(([, , categories]) => categories.reduce((sum, each) => sum + (counts[each] ?? 0), 0));
  const shares = (counts: Counts, columns: typeof SUBMITTED): Cell[] => {
    const { unreadable: _, ...judged } = counts;
    const all = Object.values(judged).reduce((sum, count) => sum + count, 0);
    const named = grouped(counts, columns);
    const rest = all - named.reduce((sum, count) => sum + count, 0);
    return [...named, rest].map((count) => share(count, all));
  };
  return {
    columns: [
      column('source', 'source', 'text'),
      column('method', 'method or model', 'text'),
      column('unresolved', 'unresolved'),
      column('resolved_share', 'resolved', 'share'),
      column('submitted_share', 'yes', 'share'),
      column('not_submitted_share', 'no', 'share'),
      ...SUBMITTED.map(([key, title]) => column(`submitted_${key}`, title, 'share')),
      column('submitted_other', 'other', 'share'),
      ...NOT_SUBMITTED.map(([key, title]) => column(`not_submitted_${key}`, title, 'share')),
      column('not_submitted_other', 'other', 'share'),
    ],
    rows: [
      ...table.map((row): Cell[] => {
        const unresolved = row.submitted + row.notSubmitted;
        return [
          'this report',
          row.method,
          unresolved,
          share(row.resolved, row.rollouts),
          share(row.submitted, unresolved),
          share(row.notSubmitted, unresolved),
          ...shares(row.whenSubmitted, SUBMITTED),
          ...shares(row.whenNotSubmitted, NOT_SUBMITTED),
        ];
      }),
      ...PAPER_FAILURES.map(({ model, resolved, submitted, whenSubmitted, whenNotSubmitted }): Cell[] => [
        'paper',
        model,
        null,
        resolved,
        submitted,
        Math.round((1 - submitted) * 1000) / 1000,
        ...whenSubmitted,
        ...whenNotSubmitted,
        null,
      ]),
    ],
  };
}

/** The table as the paper sets it: errors in two groups, ours above, the paper's below and marked. */
export function failureTable({ rows }: Data): Html {
  const own = rows.filter(([source]) => source === 'this report');
  const paper = rows.filter(([source]) => source === 'paper');
  const head = (title: string) => html`<th scope="col" class="number">${title}</th>`;
  const body = (group: readonly (readonly Cell[])[]) =>
    group.map(([, name, unresolved, ...shares]) => {
      const cells = shares.map(
        (cell, at) => html`<td class="number${EDGES.has(at) ? ' edge' : ''}">${points(cell)}</td>`,
      );
      return html`<tr><th scope="row">${name}</th><td class="number">${unresolved === null ? '' : cellText(unresolved!, 'count')}</td>${cells}</tr>\n`;
    });
  return html`<table class="dense">
<thead>
<tr><td></td><td></td><td></td><th colspan="2" scope="colgroup" class="edge">submitted?</th><th colspan="6" scope="colgroup" class="edge">errors of submitted patches</th><th colspan="4" scope="colgroup" class="edge">errors without a submission</th></tr>
<tr><th scope="col">%</th>${['unresolved', 'resolved'].map(head)}${['yes', 'no'].map(head)}${[...SUBMITTED.map(([, title]) => title), 'other'].map(head)}${[...NOT_SUBMITTED.map(([, title]) => title), 'other'].map(head)}</tr>
</thead>
<tbody><tr><th colspan="15" scope="rowgroup" class="group">This report</th></tr>
${body(own)}</tbody>
<tbody class="paper"><tr><th colspan="15" scope="rowgroup" class="group">The paper’s table 3, for comparison: other models, SWE-bench Verified, judged by GPT-5</th></tr>
${body(paper)}</tbody>
</table>`;
}

/** Columns that a new group begins with, counted from `resolved`. */
const EDGES = new Set([1, 3, 9]);

function points(cell: Cell): string {
  return typeof cell === 'number' ? (cell * 100).toFixed(1) : '–';
}
