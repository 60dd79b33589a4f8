import type { PipelineProgress, PipelineResult, PipelineStation } from '../../contract';
import { summed } from '../../dataset/funnel';
import { count, dollars, grouped } from '../../pages/figures';
import type { Look } from '../../pages/shown-run';
import { funnelLines } from './campaign/funnel';
import { heading, wrapWords } from './columns';
import { ink } from './ink';
import { safeLine } from './safe-text';
import { type Column, table } from './table';

/** What came of a pipeline: how far each repository came, what was kept of the rollouts and why, and where everything is. */
export function pipelineText(result: PipelineResult, look: Look): string {
  const { id, status, stations, problems, campaign, dataset, failureAnalysis, covariateShift, report, cost } = result;
  const paint = ink(look.coloured);
  const said = status.replaceAll('_', ' ');
  const funnels = dataset?.funnels ?? campaign?.funnels ?? [];
  return [
    `${id}: ${status === 'complete' ? paint.good(said) : paint.bad(said)}`,
    `${count(problems, 'problem')}, ${dollars(cost.usd)}, ${grouped(cost.tokens)} tokens`,
    ...(stations.length > 0 ? ['', ...stationLines(stations, look)] : []),
    ...(campaign ? ['', ...funnelLines(funnels, summed(funnels.map(({ funnel }) => funnel)), look)] : []),
    ...result.troubles.flatMap(({ stage, trouble }) => [
      '',
      ...wrapWords([safeLine(`${stage} failed: ${trouble}`)], look.width).map(paint.bad),
    ]),
    '',
    heading('where it is', look),
    ...places([
      ['report', report && `${report.folder}/${report.page.path}`],
      [
        'data set',
        dataset && `${dataset.folder}  (${grouped(dataset.rows)} rows, ${grouped(dataset.trainedTurns)} trained turns)`,
      ],
      ['failures', failureAnalysis?.folder],
      ['shift', covariateShift?.folder],
      ['rollouts', campaign && `pointsman campaign show ${campaign.id}`],
    ]),
  ].join('\n');
}

export function pipelineProgressText(id: string, progress: PipelineProgress, look: Look): string {
  const { stations, working, done } = progress;
  return [
    `${id}: ${pipelineProgressLine(progress)}`,
    ...(stations.length > 0 ? ['', ...stationLines(stations, look)] : []),
    '',
    ...done.map(({ stage, id: of, outcome }) => safeLine(`✔ ${stage}: ${outcome}  ${of}`)),
    ...working.map(({ stage, id: of }) => safeLine(`… ${stage}  ${of}`)),
  ].join('\n');
}

/** Where it is, in one line: what changes is told again. */
export function pipelineProgressLine({ phase, stations, problems, working, paused }: PipelineProgress): string {
  const built = stations.filter(({ build }) => build !== null).length;
  return [
    paused ? 'paused' : phase.toLowerCase(),
    ...(stations.length > 0 ? [`${built} of ${count(stations.length, 'repository', 'repositories')} built`] : []),
    ...(problems > 0 ? [count(problems, 'problem')] : []),
    ...(working.length > 0 ? [`at ${working.map(({ stage }) => stage).join(', ')}`] : []),
  ].join(' · ');
}

const STATIONS: readonly Column<PipelineStation>[] = [
  { title: 'REPOSITORY', value: ({ repository }) => repository, elastic: true },
  { title: 'SET-UP', value: ({ setup, setupStatus }) => setupStatus ?? (setup ? 'given' : '-') },
  { title: 'PROBLEMS', value: ({ build, admitted }) => (build ? String(admitted) : '-'), right: true },
];

function stationLines(stations: readonly PipelineStation[], look: Look): string[] {
  const stuck = stations.filter(({ trouble }) => trouble !== undefined);
  return [
    ...table(stations, STATIONS, look.width).split('\n'),
    ...stuck.flatMap(({ repository, trouble }) => wrapWords([safeLine(`${repository}: ${trouble}`)], look.width)),
  ];
}

/** Paths stay whole: one that is wrapped can no longer be copied. */
function places(all: readonly (readonly [string, string | null | undefined])[]): string[] {
  return all.flatMap(([label, where]) => (where ? [`${label.padEnd(9)} ${where}`] : []));
}
