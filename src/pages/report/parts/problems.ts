import { bars } from '../../charts/bars';
import { grouped } from '../../figures';
import { html } from '../../html';
import { type Cell, type Column, column, type Data } from '../data';
import type { ReportMaterial } from '../material';
import type { Figure, Part } from '../part';
import { spaced } from '../words';

/** Tables of a build's own report that say how its problems came to be. */
const SHOWN = ['Problems', 'Harnesses', 'Failures'];

/** Function problems: what was left out of each repository and why, and whose harnesses were valid. */
export function problemsPart(material: ReportMaterial): Part | undefined {
  const { problems, problemReports } = material;
  if (problems.length === 0) return undefined;
  const tables = problems.flatMap(({ result }, at) => {
    const markdown = problemReports[at];
    const shown = markdown ? markdownTables(markdown).filter(({ title }) => SHOWN.includes(title)) : [];
    return shown.map(({ title, data }): Figure => {
      const id = `problems-${at + 1}-${title.toLowerCase()}`;
      return { id, title: `${TITLES[title] ?? title}: ${nameOf(result)}`, caption: CAPTIONS[title] ?? '', data };
    });
  });
  return {
    id: 'problems',
    title: 'Problems built from repositories',
    intro: html`<p>A function becomes a problem when a harness for it is valid – the same each time on the function itself – and good enough to tell wrong versions from the right one.</p>`,
    figures: [overview(material), ...problems.map(({ result }, at) => funnelFigure(result, at)), ...tables],
  };
}

const TITLES: Readonly<Record<string, string>> = {
  Problems: 'The problems',
  Harnesses: 'Validity by author',
  Failures: 'Why harnesses were rejected',
};
const CAPTIONS: Readonly<Record<string, string>> = {
  Problems: 'As in R2E’s table 3, with the mutation score.',
  Harnesses:
    'Harnesses that were tried, the share that is valid, and the mean branch coverage of the valid ones; functions whose dependencies are in one file and in several apart, as in R2E’s table 1.',
  Failures: 'Each harness that is not valid, under the first of its failures.',
};

type Build = ReportMaterial['problems'][number]['result'];

function overview({ problems }: ReportMaterial): Figure {
  return {
    id: 'problem-builds',
    title: 'Builds',
    caption: 'Functions that were read, worked on and admitted.',
    data: {
      columns: [
        column('build', 'build', 'id'),
        column('source', 'repository', 'id'),
        column('functions', 'functions'),
        column('tried', 'tried'),
        column('admitted', 'admitted'),
        column('admitted_share', 'of tried', 'share'),
        column('usd', 'USD', 'usd'),
        column('licence', 'licence', 'text'),
      ],
      rows: problems.map(({ result }) => [
        result.id,
        result.environment.source ?? result.environment.image,
        result.functions,
        result.tried,
        result.admitted,
        result.tried === 0 ? null : result.admitted / result.tried,
        result.cost.usd,
        result.environment.licence ?? null,
      ]),
    },
  };
}

function funnelFigure(result: Build, at: number): Figure {
  const { functions, funnel, tried, admitted } = result;
  const rules = funnel.filter(({ rejected }) => rejected > 0);
  const rows = [
    { label: 'functions read', remain: functions, left: 0 },
    ...rules.map(({ rule, left, rejected }) => ({ label: spaced(rule), remain: left, left: rejected })),
    { label: 'tried', remain: tried, left: (funnel.at(-1)?.left ?? functions) - tried },
    { label: 'admitted', remain: admitted, left: tried - admitted },
  ];
  return {
    id: `problems-${at + 1}-funnel`,
    title: `From functions to problems: ${nameOf(result)}`,
    caption:
      'Solid: functions that remain after each rule. Hatched: those that it left out. Rules that left nothing out are not shown.',
    drawn: bars({
      title: `Functions of ${nameOf(result)} that remain`,
      description: rows.map(({ label, remain }) => `${label} ${remain}`).join(', '),
      groups: [
        {
          title: '',
          bars: rows.map(({ label, remain, left }) => ({
            label,
            segments: [
              { value: remain, fill: { series: 0 }, says: `${label}: ${remain}` },
              { value: Math.max(0, left), fill: { series: 0, texture: 'hatch' as const }, says: `left out: ${left}` },
            ],
            value: left > 0 ? `${grouped(remain)}  (−${grouped(left)})` : grouped(remain),
          })),
        },
      ],
      axis: 'functions',
      whole: true,
    }),
    data: {
      columns: [column('step', 'step', 'text'), column('remain', 'remain'), column('left_out', 'left out')],
      rows: rows.map(({ label, remain, left }) => [label, remain, left]),
    },
  };
}

function nameOf({ environment, id }: Build): string {
  return environment.source ?? id;
}

interface TitledTable {
  /** The heading above it. */
  readonly title: string;
  readonly data: Data;
}

/** Tables of a Markdown text of ours, with the headings that they stand under. Cells are texts; `\|` is a bar. */
export function markdownTables(markdown: string): TitledTable[] {
  const found: TitledTable[] = [];
  let title = '';
  let lines: string[] = [];
  const end = () => {
    const data = dataOf(lines);
    if (data) found.push({ title, data });
    lines = [];
  };
  for (const line of [...markdown.split('\n'), '']) {
    if (/^\|.*\|\s*$/.test(line)) lines.push(line);
    else {
      end();
      title = /^#+\s+(.*)/.exec(line)?.[1]?.trim() ?? title;
    }
  }
  return found;
}

function dataOf(lines: readonly string[]): Data | undefined {
  const [head, rule, ...body] = lines.map(cellsOf);
  if (!head || !rule?.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  const columns = head.map(
    (title, at): Column => ({
      ...column(keyOf(title, at, head), title),
      kind: rule[at]?.endsWith(':') ? 'count' : 'text',
    }),
  );
  return { columns, rows: body.map((cells) => columns.map((_, at): Cell => cells[at] ?? null)) };
}

function cellsOf(line: string): string[] {
  const inner = line.trim().slice(1, -1);
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** As a CSV's header has it; a title that is there twice gets its place. */
function keyOf(title: string, at: number, all: readonly string[]): string {
  const key =
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, '') || `column_${at + 1}`;
  return all.indexOf(title) === at ? key : `${key}_${at + 1}`;
}
