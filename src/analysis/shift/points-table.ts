import type { Interval, ShiftPoint } from '../../contract';

/** Columns of `points.csv`, in their order. */
export const POINT_COLUMNS: readonly (readonly [key: string, of: (point: ShiftPoint) => string | number | null])[] = [
  ['student', ({ student }) => student],
  ['turn', ({ turn }) => turn],
  ['n_student', ({ nStudent }) => nStudent],
  ['n_expert', ({ nExpert }) => nExpert],
  ['bootstrapped', ({ bootstrapped }) => (bootstrapped ? 1 : 0)],
  ...intervalColumns('fd2', ({ fd2 }) => fd2),
  ...intervalColumns('fd', ({ fd }) => fd),
  ...intervalColumns('baseline_fd2', ({ baselineFd2 }) => baselineFd2),
  ...intervalColumns('kl', ({ kl }) => kl),
  ...intervalColumns('pca_fd2', ({ pcaFd2 }) => pcaFd2),
  ['p_value', ({ pValue }) => pValue],
];

function intervalColumns(key: string, of: (point: ShiftPoint) => Interval | null): (typeof POINT_COLUMNS)[number][] {
  return [
    [key, (point) => of(point)?.mean ?? null],
    [`${key}_low`, (point) => of(point)?.low ?? null],
    [`${key}_high`, (point) => of(point)?.high ?? null],
  ];
}
