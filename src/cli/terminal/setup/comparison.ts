import type { ComparedRun, Comparison, Lift, ModeSummary } from '../../../analysis/comparison';
import type { Estimate } from '../../../contract';
import { count, dollars, duration } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { heading, wrapWords } from '../columns';
import { safeLine } from '../safe-text';
import { type Column, table } from '../table';

/** Runs of the same sources under several modes: each of them, each mode, and effect of memory. */
export function comparisonText(runs: readonly ComparedRun[], { modes, lifts }: Comparison, look: Look): string {
  return [
    heading('runs', look),
    table(runs, columnsFor(runs), look.width),
    ...runs.flatMap(({ id, trouble }) => (trouble ? wrapWords([safeLine(`${id}: ${trouble}`)], look.width) : [])),
    '',
    heading('modes', look),
    table(modes, MODE, look.width),
    '',
    heading('effect of memory', look),
    ...modes.filter(({ runs: n }) => n > 0).flatMap((mode) => wrapWords([gapLine(mode)], look.width)),
    ...(lifts.length === 0 ? ['No difference: it needs `off` and another mode.'] : []),
    ...lifts.flatMap((lift) => wrapWords([liftLine(lift)], look.width)),
  ].join('\n');
}

/** Mode and pass only where they tell runs apart: a source has little room as it is. */
function columnsFor(runs: readonly ComparedRun[]): Column<ComparedRun>[] {
  const [first] = runs;
  return [
    SOURCE,
    ...(runs.some(({ mode }) => mode !== first?.mode) ? [RUN_MODE] : []),
    ...(runs.some(({ pass }) => pass !== first?.pass) ? [PASS] : []),
    ...RUN,
  ];
}

const SOURCE: Column<ComparedRun> = { title: 'SOURCE', value: ({ source }) => source, elastic: true };
const RUN_MODE: Column<ComparedRun> = { title: 'MODE', value: ({ mode }) => mode };
const PASS: Column<ComparedRun> = { title: 'PASS', value: ({ pass }) => String(pass), right: true };
/** All of it is in `--csv` and `--json`. */
const RUN: readonly Column<ComparedRun>[] = [
  { title: 'VERDICT', value: ({ status, verdict }) => (verdict ?? status ?? 'failed').replaceAll('_', ' ') },
  { title: 'VERIFIER', value: ({ verifier }) => yesNo(verifier) },
  { title: 'CLAIM', value: ({ status, selfClaim }) => yesNo(status === null ? null : selfClaim) },
  { title: 'TESTS', value: ({ tests }) => `${tests.passed}/${tests.collected}`, right: true },
  { title: 'STEPS', value: ({ steps }) => String(steps), right: true },
  { title: 'TIME', value: ({ seconds }) => duration(seconds * 1000), right: true },
  { title: 'BACK', value: ({ rollbacks }) => String(rollbacks), right: true, spare: true },
  { title: 'UNITS', value: ({ unitsTried, unitsHelped }) => `${unitsHelped}/${unitsTried}`, right: true, spare: true },
  { title: 'COST', value: ({ usd }) => dollars(usd), right: true, spare: true },
];

const MODE: readonly Column<ModeSummary>[] = [
  { title: 'MODE', value: ({ mode }) => mode },
  { title: 'RUNS', value: ({ runs, failed }) => (failed === 0 ? String(runs) : `${runs} (+${failed})`), right: true },
  { title: 'CLAIM', value: ({ claimed }) => String(claimed), right: true },
  { title: 'VERIFIER', value: ({ verified }) => String(verified), right: true },
  { title: 'NOT GUILTY', value: ({ notGuilty }) => String(notGuilty), right: true },
  { title: 'STEPS', value: ({ meanSteps }) => meanSteps.toFixed(1), right: true },
  { title: 'TIME', value: ({ meanSeconds }) => duration(meanSeconds * 1000), right: true },
  { title: 'UNITS', value: ({ unitsTried, unitsHelped }) => `${unitsHelped}/${unitsTried}`, right: true },
  { title: 'COST', value: ({ usd }) => dollars(usd), right: true },
];

function gapLine({ mode, gap }: ModeSummary): string {
  return `${mode}: self-claims are ${points(gap.difference)} points above verdicts (95 %: ${points(gap.low)} to ${points(gap.high)}).`;
}

function liftLine({
  mode,
  against,
  difference,
  low,
  high,
  p,
  pairs,
  counts,
  leftOut,
  passesLeftOut,
  effort,
  shown,
}: Lift): string {
  const said = {
    lift: 'Memory helped.',
    loss: 'Memory hurt.',
    none:
      counts.onlyFirst + counts.onlySecond === 0
        ? 'No difference is shown: no source ended differently.'
        : 'No difference is shown: it may be chance.',
  }[shown];
  const interval = `95 %: ${points(low)} to ${points(high)}; exact McNemar p = ${p.toFixed(3)}`;
  const basis = [
    count(pairs, 'pair'),
    `${counts.onlySecond} better`,
    `${counts.onlyFirst} worse`,
    ...(leftOut > 0 ? [`${leftOut} left out because they have no outcome`] : []),
    ...(passesLeftOut > 0 ? [`${count(passesLeftOut, 'pass', 'passes')} left out with their pair`] : []),
  ].join(', ');
  const { steps, seconds, tokens } = effort;
  const takes = [
    more(steps, 'steps', 1),
    more(seconds, 'seconds'),
    ...(isNone(tokens) ? [] : [more(tokens, 'tokens')]),
  ];
  return `${mode} − ${against}: ${points(difference)} points not guilty (${interval}; ${basis}). ${said}${pairs > 0 ? ` A run takes ${takes.join(', ')}.` : ''}`;
}

const isNone = ({ low, high }: Estimate) => low === 0 && high === 0;

function more({ value, low, high }: Estimate, what: string, digits = 0): string {
  const shown = (figure: number) => signed(figure.toFixed(digits));
  return `${shown(value)} ${what} (95 %: ${shown(low)} to ${shown(high)})`;
}

/** Percentage points with their sign. */
function points(share: number): string {
  return signed((share * 100).toFixed(1));
}

function signed(figure: string): string {
  return Number(figure) > 0 ? `+${figure}` : figure.replace(/^-(?=0(?:\.0*)?$)/, '').replace('-', '−');
}

function yesNo(said: boolean | null): string {
  return said === null ? '-' : said ? 'yes' : 'no';
}
