import type { DatasetFile, DatasetManifest, DatasetProgress, DatasetResult, Funnel } from '../../../contract';
import { count, grouped } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { funnelLines } from '../campaign/funnel';
import { safeLine } from '../safe-text';
import { table } from '../table';

type Shown = Omit<DatasetResult, 'id' | 'folder' | 'dropped' | 'card'>;

/** What is in a data set, what is not and why, and its files. `total`: the sum of the funnels. */
export function datasetLines(shown: Shown, total: Funnel, look: Look): string[] {
  const { rows, turns, trainedTurns, tokens, mixture, repetition, files, template = [] } = shown;
  const parts = mixture.map(({ name, rows: n }) => `${name} ${grouped(n)}`).join(', ');
  const repeated = repetition
    .filter(({ passed }) => passed > 0)
    .map(({ method, dropped, rate }) => `${method} ${grouped(dropped)} (${(rate * 100).toFixed(2)} %)`);
  return [
    `${count(rows, 'row')}${parts === '' ? '' : `: ${parts}`}`,
    `${grouped(trainedTurns)} of ${count(turns, 'turn')} trained, ${count(tokens, 'token')}`,
    ...(repeated.length > 0 ? [`repetitive  ${repeated.join(', ')}; the paper drops 8.46 % and 3.63 %`] : []),
    '',
    ...(shown.funnels.length > 0 ? funnelLines(shown.funnels, total, look) : []),
    ...(template.length > 0 ? [...template.map((note) => `chat template: ${safeLine(note)}`), ''] : []),
    ...teacherLines(shown.scored),
    ...fileLines(files, look),
  ];
}

function teacherLines(scored: Shown['scored']): string[] {
  if (!scored) return [];
  const { profile, sequences, tokens, usd, left } = scored;
  return [
    `teacher ${profile}: ${count(sequences, 'sequence')}, ${count(tokens, 'token')}, $${usd.toFixed(4)}`,
    ...left.map(({ reason, count: n }) => `${count(n, 'row')} not scored: ${reason.replaceAll('_', ' ')}`),
    '',
  ];
}

function fileLines(files: readonly DatasetFile[], look: Look): string[] {
  const shown = table(
    files,
    [
      { title: 'FILE', value: ({ path }) => path },
      { title: 'ROWS', value: ({ rows }) => grouped(rows), right: true },
      { title: 'BYTES', value: ({ bytes }) => grouped(bytes), right: true },
      { title: 'SHA-256', value: ({ sha256 }) => sha256.slice(0, 12) },
    ],
    look.width,
  ).split('\n');
  const left = files.flatMap(({ path, left: out }) =>
    out.map(({ reason, count: n }) => `${path}: ${grouped(n)} left out: ${reason.replaceAll('_', ' ')}`),
  );
  return [...shown, ...left];
}

/** One line of where the making is. */
export function datasetProgressLine(progress: DatasetProgress): string {
  const { phase, rows, judged, passed, kept, scored, files, filesWritten, template = [] } = progress;
  if (rows === null) return phase.toLowerCase();
  if (judged === 0 && template.length > 0) return `chat template: ${safeLine(template.join('; '))}`;
  if (kept === null) return `${phase.toLowerCase()}: ${grouped(judged)} of ${grouped(rows)}, ${grouped(passed)} passed`;
  if (phase === 'Scoring') return `scoring: ${grouped(scored ?? 0)} of ${grouped(kept)} rows`;
  return `${phase.toLowerCase()}: ${grouped(kept)} rows, ${filesWritten} of ${files} formats`;
}

/** What `dataset list` has of each. */
export interface ListedDataset {
  readonly name: string;
  readonly rows: number;
  readonly trainedTurns: number;
  readonly formats: readonly string[];
  readonly folder: string;
}

export function listedDataset(folder: string, { name, result, input }: DatasetManifest): ListedDataset {
  return { name, rows: result.rows, trainedTurns: result.trainedTurns, formats: input.formats, folder };
}

export function datasetTable(datasets: readonly ListedDataset[], look: Look): string {
  return table(
    datasets,
    [
      { title: 'NAME', value: ({ name }) => name },
      { title: 'ROWS', value: ({ rows }) => grouped(rows), right: true },
      { title: 'TRAINED TURNS', value: ({ trainedTurns }) => grouped(trainedTurns), right: true },
      { title: 'FORMATS', value: ({ formats }) => formats.join(' '), elastic: true },
    ],
    look.width,
  );
}
