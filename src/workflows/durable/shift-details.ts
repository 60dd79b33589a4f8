import { workflowInfo } from '@temporalio/workflow';
import type { CovariateShiftInput, CovariateShiftProgress, CovariateShiftResult } from '../../contract';

export interface ShownShift {
  readonly input: CovariateShiftInput;
  readonly progress: CovariateShiftProgress;
  /** Why nothing is begun: `paused`, or `parked: …`. */
  readonly waiting?: string;
  readonly result?: CovariateShiftResult;
}

/** Markdown for the Temporal UI's "Current Details". */
export function shiftDetails({ input, progress, waiting, result }: ShownShift): string {
  const { phase, trajectories, embedded, inFlight, cost } = progress;
  const students = input.students.map(({ name }) => name).join(', ');
  return [
    `**${students} against ${input.expert.name}** — ${waiting ?? phase}`,
    ...(waiting ? ['', 'The update `resume` goes on; `abandon` ends with what there is.'] : []),
    '',
    `${embedded} of ${trajectories} trajectories embedded with \`${input.embedding}\`, ${inFlight} in flight.`,
    '',
    `$${cost.usd.toFixed(4)}, ${cost.tokens} tokens.`,
    '',
    ...(result ? [...table(result), ''] : []),
    `In full: \`pointsman covariate-shift show ${workflowInfo().workflowId}\`.`,
  ].join('\n');
}

/** At most a dozen turns, spread over all of them. */
function table({ points }: CovariateShiftResult): string[] {
  const every = Math.ceil(points.length / 12);
  const shown = points.filter((_, at) => at % every === 0);
  return [
    '| student | turn | n | FD² | expert with itself | p |',
    '|---|---|---|---|---|---|',
    ...shown.map(
      ({ student, turn, nStudent, nExpert, fd2, baselineFd2, pValue }) =>
        `| ${student} | ${turn} | ${nStudent}, ${nExpert} | ${digits(fd2?.mean)} | ${digits(baselineFd2?.mean)} | ${digits(pValue)} |`,
    ),
  ];
}

function digits(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : value.toPrecision(3);
}
