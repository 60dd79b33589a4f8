import { bar } from '../../../analysis/charts';
import type { CovariateShiftProgress, CovariateShiftResult, Interval, ShiftPoint } from '../../../contract';
import { count, dollars, grouped } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { table } from '../table';

/** Rows of a table that fits a screen; all are in `points.csv`. */
const MOST_ROWS = 24;
const BAR = 10;

/** Who was compared, then each student's figures turn by turn; `full` shows all turns. */
export function shiftLines(result: CovariateShiftResult, look: Look): string[] {
  const { groups, instances, embedding, dimensions, points, cost } = result;
  const builtin = embedding.startsWith('builtin:') ? ' (spelling, not meaning)' : '';
  const of = groups.map(({ name, rollouts, embedded }) => {
    const part =
      embedded < rollouts ? `${grouped(embedded)} of ${count(rollouts, 'rollout')}` : count(rollouts, 'rollout');
    return `${name} ${part}`;
  });
  const students = [...new Set(points.map(({ student }) => student))];
  return [
    `${of.slice(1).join(', ')} against ${of[0]}, over ${count(instances.length, 'instance')}`,
    `${embedding}${builtin}, ${grouped(dimensions)} dimensions; ${dollars(cost.usd)}, ${grouped(cost.tokens)} tokens`,
    ...students.flatMap((student) => ['', student, ...studentLines(points, student, look)]),
    '',
    'FD² ± 95 % over replicates. n ≪ d biases it: compare with SELF, the expert against itself.',
  ];
}

function studentLines(points: readonly ShiftPoint[], student: string, look: Look): string[] {
  const own = points.filter((point) => point.student === student);
  const every = look.full ? 1 : Math.ceil(own.length / MOST_ROWS);
  const shown = own.filter((_, at) => at % every === 0 || at === own.length - 1);
  const highest = Math.max(...own.map(({ fd2 }) => fd2?.mean ?? 0), Number.MIN_VALUE);
  const lines = table<ShiftPoint>(
    shown,
    [
      { title: 'TURN', value: ({ turn }) => String(turn), right: true },
      { title: 'N', value: ({ nStudent, nExpert }) => `${nStudent}/${nExpert}`, right: true },
      { title: 'FD²', value: ({ fd2 }) => digits(fd2), right: true },
      { title: '95 %', value: ({ fd2 }) => (fd2 ? `${short(fd2.low)}–${short(fd2.high)}` : '') },
      { title: 'SELF', value: ({ baselineFd2 }) => digits(baselineFd2), right: true },
      { title: '', value: ({ fd2 }) => (fd2 ? bar(fd2.mean / highest, BAR) : '') },
      { title: 'PCA', value: ({ pcaFd2 }) => digits(pcaFd2), right: true, spare: true },
      { title: 'KL', value: ({ kl }) => digits(kl), right: true, spare: true },
      { title: 'P', value: ({ pValue }) => (pValue === null ? '–' : pValue.toFixed(3)), right: true },
    ],
    look.width,
  ).split('\n');
  const hidden = own.length - shown.length;
  const redrawn = own.filter(({ bootstrapped }) => bootstrapped).length;
  return [
    ...lines,
    ...(hidden > 0 ? [`${count(hidden, 'turn')} more: --full, or points.csv`] : []),
    ...(redrawn > 0
      ? [`at ${count(redrawn, 'turn')} replicates are drawn with replacement, because there are too few rollouts`]
      : []),
  ];
}

export function shiftProgressLine({ phase, trajectories, embedded, inFlight, cost }: CovariateShiftProgress): string {
  const spent = cost.usd > 0 ? `, ${dollars(cost.usd)}` : '';
  return `${phase.toLowerCase()}: ${embedded} of ${trajectories} embedded, ${inFlight} in flight${spent}`;
}

function digits(interval: Interval | null): string {
  return interval === null ? '–' : short(interval.mean);
}

function short(value: number): string {
  if (value === 0) return '0';
  return Math.abs(value) >= 1e-3 && Math.abs(value) < 1e5
    ? String(Number(value.toPrecision(3)))
    : value.toExponential(1);
}
