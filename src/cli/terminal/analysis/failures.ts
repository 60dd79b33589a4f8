import { bar } from '../../../analysis/charts';
import {
  type FailureAnalysisProgress,
  type FailureAnalysisResult,
  type FailureTableRow,
  type FailureVerdict,
  JudgedCategory,
  type SwitchBucketRow,
} from '../../../contract';
import { count, dollars, grouped } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { safeLine } from '../safe-text';
import { table } from '../table';

const BAR = 16;

/** A line of table 3: shares from 0 to 1 in the order of `SHARES`, null where nothing was counted. */
export interface ShareRow {
  readonly paper: boolean;
  readonly name: string;
  readonly shares: readonly (number | null)[];
}

/** Short titles of a table-3 line: resolved and submitted, six errors of submitted patches, four without a submission. */
const SUBMITTED_SHARES = 8;
const SHARES = ['RES', 'SUB', 'wrong', 'synt', 'file', 'instr', 'edge', 'other', 'tool', 'long', 'loop', 'other'];

/** Failures by method and category, table 3 with the paper's lines below ours, and the rates by switch index. */
export function failureLines(result: FailureAnalysisResult, rows: readonly ShareRow[], look: Look): string[] {
  const { judge, table: methods, buckets, notGraded, notJudged, cost } = result;
  const rules = judge.startsWith('builtin:') ? ' (what no rule decides is "other")' : '';
  const asides = [
    ...(notGraded > 0 ? [`${grouped(notGraded)} were never graded and are left out`] : []),
    ...(notJudged > 0 ? [`${grouped(notJudged)} have no verdict`] : []),
  ];
  return [
    `judged by ${judge}${rules}; ${dollars(cost.usd)}, ${grouped(cost.tokens)} tokens`,
    ...asides,
    ...methods.flatMap((row) => ['', ...methodLines(row)]),
    '',
    ...tableThree(rows, look),
    ...(buckets.length > 0 ? ['', ...bucketLines(buckets, look)] : []),
  ];
}

function methodLines({
  method,
  rollouts,
  resolved,
  submitted,
  notSubmitted,
  whenSubmitted,
  whenNotSubmitted,
}: FailureTableRow): string[] {
  const failed = submitted + notSubmitted;
  const counts = JudgedCategory.options
    .map((category) => ({ category, yes: whenSubmitted[category] ?? 0, no: whenNotSubmitted[category] ?? 0 }))
    .filter(({ yes, no }) => yes + no > 0)
    .sort((a, b) => b.yes + b.no - (a.yes + a.no));
  const width = Math.max(0, ...counts.map(({ category }) => category.length));
  return [
    `${safeLine(method)}: ${grouped(resolved)} of ${grouped(rollouts)} resolved, ${grouped(failed)} not (${grouped(submitted)} submitted)`,
    ...counts.map(
      ({ category, yes, no }) =>
        `  ${category.replaceAll('_', ' ').padEnd(width)}  ${bar((yes + no) / failed, BAR)} ${String(yes + no).padStart(4)}  ${yes} submitted, ${no} not`,
    ),
  ];
}

function tableThree(rows: readonly ShareRow[], look: Look): string[] {
  const part = (from: number, to: number) =>
    table<ShareRow>(
      rows,
      [
        { title: '%', value: ({ paper, name }) => (paper ? `paper: ${name}` : name), elastic: true },
        ...SHARES.slice(from, to).map((title, at) => ({
          title,
          value: ({ shares }: ShareRow) => percent(shares[from + at]),
          right: true,
        })),
      ],
      look.width,
    ).split('\n');
  return [
    'As the paper’s table 3; its own lines are other models on SWE-bench Verified, judged by GPT-5.',
    'Resolved, submitted of the unresolved, and errors of submitted patches',
    ...part(0, SUBMITTED_SHARES),
    '',
    'Errors without a submission',
    ...part(SUBMITTED_SHARES, SHARES.length),
  ];
}

function bucketLines(buckets: readonly SwitchBucketRow[], look: Look): string[] {
  return [
    'Resolved by the switch index that was drawn, of those handed over, 95 % by Wilson',
    ...table<SwitchBucketRow>(
      buckets,
      [
        { title: 'METHOD', value: ({ method }) => method, elastic: true },
        { title: 'K', value: ({ from, to }) => `${from}–${to}` },
        { title: 'DRAWN', value: ({ drawn }) => grouped(drawn), right: true },
        { title: 'EARLY', value: ({ submittedBeforeSwitch }) => grouped(submittedBeforeSwitch), right: true },
        { title: 'HANDED', value: ({ handedOver }) => grouped(handedOver), right: true },
        { title: 'RESOLVED', value: ({ resolved }) => grouped(resolved), right: true },
        { title: '%', value: ({ resolveRate }) => percent(resolveRate?.value), right: true },
        {
          title: '95 %',
          value: ({ resolveRate: rate }) => (rate ? `${percent(rate.low)}–${percent(rate.high)}` : '–'),
        },
      ],
      look.width,
    ).split('\n'),
  ];
}

/** Verdicts one under the other. */
export function verdictLines(verdicts: readonly FailureVerdict[], look: Look): string[] {
  return verdicts.flatMap(({ id, category, submitted, description }) => {
    const marks = submitted ? 'submitted' : 'not submitted';
    const said = description.replace(/\s+/g, ' ');
    const most = look.full ? said.length : look.width * 2;
    return [
      `${safeLine(id)}`,
      `  ${category.replaceAll('_', ' ')} (${marks})`,
      `  ${safeLine(said.length > most ? `${said.slice(0, most)}…` : said)}`,
    ];
  });
}

export function failureProgressLine({ phase, unresolved, judged, inFlight, cost }: FailureAnalysisProgress): string {
  const spent = cost.usd > 0 ? `, ${dollars(cost.usd)}` : '';
  return `${phase.toLowerCase()}: ${judged} of ${count(unresolved, 'unresolved rollout')} judged, ${inFlight} in flight${spent}`;
}

function percent(share: number | null | undefined): string {
  return share === null || share === undefined ? '–' : (share * 100).toFixed(1);
}
