import { CovariateShiftInput, type Interval, type ShiftPoint } from '../../../contract';
import { type Line, type LinePoint, lines } from '../../charts/lines';
import { html } from '../../html';
import { column, type Data } from '../data';
import type { ReportMaterial } from '../material';
import type { Figure, Part } from '../part';
import { figure, listed } from '../words';

type Measure = 'fd2' | 'kl' | 'pcaFd2' | 'baselineFd2';

/** How far the students' histories drift from the expert's, turn by turn. */
export function shiftPart({ covariateShift }: Pick<ReportMaterial, 'covariateShift'>): Part | undefined {
  if (!covariateShift || covariateShift.result.points.length === 0) return undefined;
  const { points, embedding, dimensions, instances, groups } = covariateShift.result;
  const short = groups.filter(({ rollouts, embedded }) => embedded < rollouts);
  const others = groups.filter(({ otherHandOvers }) => otherHandOvers);
  // With its defaults filled in; nothing where the input is not known.
  const asked = CovariateShiftInput.safeParse(covariateShift.input).data;
  const builtin = embedding.startsWith('builtin:');
  const scarce = Math.min(...points.map(({ nStudent, nExpert }) => Math.min(nStudent, nExpert)));
  return {
    id: 'shift',
    title: 'Covariate shift between student and expert',
    intro: html`<p>The whole history at each turn is embedded (<code>${embedding}</code>, ${dimensions} dimensions) over ${instances.length === 1 ? '1 instance' : `${instances.length} instances`}; replicates of rollouts become one Gaussian each, and the distance is averaged over all pairs of a student’s and an expert’s replicate. Bands are 95 % intervals, by drawing replicates of both sides again.</p>
<p class="note">With far fewer rollouts than dimensions the raw distance is biased upwards: read it against the baseline of the expert against itself, the reduced version, and the permutation test. Late turns hold only the rollouts that still run – at the fewest ${scarce}.${short.length > 0 ? ` Not embedded, because their steps are gone or the run was ended: ${listed(short.map(({ name, rollouts, embedded }) => `${rollouts - embedded} of ${rollouts} of ${name}`))}.` : ''}${others.length > 0 ? ` Handed over for another reason than the drawn switch: ${listed(others.map(({ name, otherHandOvers }) => `${otherHandOvers} of ${name}`))}.` : ''}${builtin ? ' This embedding hashes words and knows no meaning: it shows that texts differ, not how much that matters.' : ''}</p>`,
    figures: [
      distanceFigure(points),
      measured(points, 'kl', {
        id: 'shift-kl',
        title: 'Kullback–Leibler divergence by turn',
        caption: `KL of student from expert in nats. Fewer rollouts than dimensions leave covariances singular, so ${asked?.ridge ?? 'a small ridge'} is added to their diagonals: the size depends on that choice, the trend less.`,
        up: 'KL(student ‖ expert), nats',
      }),
      measured(points, 'pcaFd2', {
        id: 'shift-pca',
        title: 'Reduced distance by turn',
        caption: `Squared Fréchet distance after projecting each turn on the first ${asked?.pcaDimensions ?? 'few'} principal components of both groups together: fewer dimensions need fewer rollouts.`,
        up: 'squared Fréchet distance, reduced',
      }),
      permutationFigure(points),
      survivorsFigure(points),
    ].filter((each) => each !== undefined),
  };
}

function distanceFigure(points: readonly ShiftPoint[]): Figure | undefined {
  const found = measured(points, 'fd2', {
    id: 'shift-fd',
    title: 'Fréchet distance by turn',
    caption: headlineOf(points),
    up: 'squared Fréchet distance',
  });
  if (!found) return undefined;
  const first = points.filter(({ student }) => student === points[0]!.student);
  const baseline: Line = {
    name: 'expert, two halves',
    series: 7,
    quiet: true,
    points: first.map((point) => linePoint(point, point.baselineFd2, 'expert against itself')),
  };
  return {
    ...found,
    drawn: chart(found, [...studentLines(points, 'fd2'), baseline], 'squared Fréchet distance', lastTurn(points)),
    data: fullData(points),
  };
}

function headlineOf(points: readonly ShiftPoint[]): string {
  const last = [...byStudent(points)].flatMap(([student, own]) => {
    const point =
      own.findLast(({ fd2, nStudent, nExpert }) => fd2 && Math.min(nStudent, nExpert) >= 10) ??
      own.findLast(({ fd2 }) => fd2);
    if (!point?.fd2) return [];
    const base = point.baselineFd2 ? `; two halves of the expert are ${figure(point.baselineFd2.mean)} apart` : '';
    return [
      `At turn ${point.turn} ${student} is ${figure(point.fd2.mean)} (${figure(point.fd2.low)} to ${figure(point.fd2.high)}) from the expert${base}.`,
    ];
  });
  return `The squared distance, as FID has it; its root is in the CSV. ${last.join(' ')} ${BANDS}`;
}

/** How the intervals of every distance here are made. */
const BANDS = 'Bands are 95 % intervals by resampling the replicates of both sides.';

function measured(
  points: readonly ShiftPoint[],
  measure: Measure,
  { id, title, caption, up }: { id: string; title: string; caption: string; up: string },
): Figure | undefined {
  if (points.every((point) => point[measure] === null)) return undefined;
  const about = { id, title, caption: `${caption} ${BANDS}` };
  const data: Data = {
    columns: [
      column('student', 'student', 'text'),
      column('turn', 'turn'),
      column('n_student', 'n student'),
      column('n_expert', 'n expert'),
      ...intervalColumns(measureKey(measure), ''),
    ],
    rows: points.map((point) => [point.student, point.turn, point.nStudent, point.nExpert, ...cells(point[measure])]),
  };
  return { ...about, data, drawn: chart(about, studentLines(points, measure), up, lastTurn(points)) };
}

function permutationFigure(points: readonly ShiftPoint[]): Figure | undefined {
  if (points.every(({ pValue }) => pValue === null)) return undefined;
  const about = {
    id: 'shift-p',
    title: 'Permutation test by turn',
    caption:
      'Share of random relabellings of rollouts whose distance is at least the one seen. Many turns are tested: single values below 0.05 are to be expected by chance.',
  };
  const drawn = [...byStudent(points)].map(
    ([name, own], series): Line => ({
      name,
      series,
      apart: true,
      points: own.map(({ turn, pValue }) =>
        pValue === null ? null : { x: turn, mean: pValue, says: `${name}, turn ${turn}: p = ${figure(pValue)}` },
      ),
    }),
  );
  return {
    ...about,
    drawn: lines({
      title: about.title,
      description: `p-values of ${listed(drawn.map(({ name }) => name))}`,
      lines: drawn,
      across: 'turn',
      last: lastTurn(points),
      up: 'p',
      highest: 1,
      levels: [{ at: 0.05, label: '0.05' }],
      plotHeight: 170,
    }),
    data: {
      columns: [column('student', 'student', 'text'), column('turn', 'turn'), column('p_value', 'p', 'number')],
      rows: points.map(({ student, turn, pValue }) => [student, turn, pValue]),
    },
  };
}

function survivorsFigure(points: readonly ShiftPoint[]): Figure {
  const about = {
    id: 'shift-n',
    title: 'Rollouts that still run, by turn',
    caption: 'n behind every figure above. Where replicates had to be drawn with replacement the table says so.',
  };
  const students = [...byStudent(points)];
  const drawn: Line[] = students.map(([name, own], series) => ({
    name,
    series,
    points: own.map(({ turn, nStudent }) => ({ x: turn, mean: nStudent, says: `${name}, turn ${turn}: ${nStudent}` })),
  }));
  const expert: Line = {
    name: 'expert',
    series: 7,
    quiet: true,
    points: students[0]![1].map(({ turn, nExpert }) => ({
      x: turn,
      mean: nExpert,
      says: `expert, turn ${turn}: ${nExpert}`,
    })),
  };
  return {
    ...about,
    drawn: lines({
      title: about.title,
      description: `Rollouts of ${listed(drawn.map(({ name }) => name))} and the expert by turn`,
      lines: [...drawn, expert],
      across: 'turn',
      last: lastTurn(points),
      up: 'rollouts',
      plotHeight: 150,
    }),
    data: {
      columns: [
        column('student', 'student', 'text'),
        column('turn', 'turn'),
        column('n_student', 'n student'),
        column('n_expert', 'n expert'),
        column('bootstrapped', 'with replacement', 'text'),
      ],
      rows: points.map(({ student, turn, nStudent, nExpert, bootstrapped }) => [
        student,
        turn,
        nStudent,
        nExpert,
        bootstrapped ? 'yes' : 'no',
      ]),
    },
  };
}

function chart({ title }: { title: string }, shown: readonly Line[], up: string, last: number) {
  const names = shown.map(({ name }) => name);
  return lines({ title, description: `${up} by turn for ${listed(names)}`, lines: shown, across: 'turn', up, last });
}

function studentLines(points: readonly ShiftPoint[], measure: Measure): Line[] {
  return [...byStudent(points)].map(([name, own], series) => ({
    name,
    series,
    points: own.map((point) => linePoint(point, point[measure], name)),
  }));
}

function linePoint({ turn, nStudent, nExpert }: ShiftPoint, value: Interval | null, name: string): LinePoint | null {
  if (!value) return null;
  const says = `${name}, turn ${turn}: ${figure(value.mean)} (${figure(value.low)} to ${figure(value.high)}), n ${nStudent} and ${nExpert}`;
  return { x: turn, mean: value.mean, low: value.low, high: value.high, says };
}

/** All figures go as far as the longest, so that turns stand above each other. */
function lastTurn(points: readonly ShiftPoint[]): number {
  return Math.max(2, ...points.map(({ turn }) => turn));
}

function byStudent(points: readonly ShiftPoint[]): Map<string, ShiftPoint[]> {
  const found = new Map<string, ShiftPoint[]>();
  for (const point of points) found.set(point.student, [...(found.get(point.student) ?? []), point]);
  for (const own of found.values()) own.sort((one, other) => one.turn - other.turn);
  return found;
}

function fullData(points: readonly ShiftPoint[]): Data {
  return {
    columns: [
      column('student', 'student', 'text'),
      column('turn', 'turn'),
      column('n_student', 'n student'),
      column('n_expert', 'n expert'),
      ...intervalColumns('fd2', 'squared'),
      ...intervalColumns('fd', 'root'),
      ...intervalColumns('baseline_fd2', 'baseline'),
    ],
    rows: points.map((point) => [
      point.student,
      point.turn,
      point.nStudent,
      point.nExpert,
      ...cells(point.fd2),
      ...cells(point.fd),
      ...cells(point.baselineFd2),
    ]),
  };
}

function intervalColumns(key: string, title: string) {
  const named = (word: string) => (title === '' ? word : `${title}, ${word}`);
  return [
    column(key, title === '' ? 'mean' : title, 'number'),
    column(`${key}_low`, named('95 % from'), 'number'),
    column(`${key}_high`, named('to'), 'number'),
  ];
}

function cells(value: Interval | null): (number | null)[] {
  return value ? [value.mean, value.low, value.high] : [null, null, null];
}

function measureKey(measure: Measure): string {
  return measure.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
