import type { DatasetResult, FunnelStage } from '../../contract';
import { summed } from '../funnel';
import { PAPER_REPETITION } from '../rates';
import { cell, markdownTable, percent, words } from './markdown';

/** Counts by stage and method that sum, and the reason of every loss. */
export function funnelSection(funnels: DatasetResult['funnels']): string {
  if (funnels.length === 0) return '## Funnel\n\nNo rollout was a source.';
  const all =
    funnels.length > 1 ? [...funnels, { method: 'all', funnel: summed(funnels.map(({ funnel }) => funnel)) }] : funnels;
  const stages = funnels[0]!.funnel.stages.map(({ stage }) => stage);
  const reasons = [...new Set(all.at(-1)!.funnel.losses.map(({ stage, reason }) => `${stage} ${reason}`))];
  const lost = (funnel: (typeof all)[number]['funnel'], key: string) =>
    funnel.losses.find(({ stage, reason }) => `${stage} ${reason}` === key)?.count ?? 0;
  return [
    '## Funnel',
    '',
    'Rollouts that reached each stage; each stage is the one before it without the losses below.',
    '',
    markdownTable(
      ['method', ...stages.map(words)],
      all.map(({ method, funnel }) => [cell(method), ...funnel.stages.map(({ count }) => count)]),
    ),
    '',
    ...(reasons.length > 0
      ? [
          markdownTable(
            ['lost before', 'reason', ...all.map(({ method }) => cell(method))],
            reasons.map((key) => {
              const [stage, reason] = key.split(' ') as [FunnelStage, string];
              return [words(stage), words(reason), ...all.map(({ funnel }) => lost(funnel, key))];
            }),
          ),
          '',
        ]
      : []),
    'Each rollout that is not in the data set is a line of `dropped.jsonl`, with what shows it.',
  ].join('\n');
}

/** Survivorship by the drawn switch index. */
export function survivalSection(survival: DatasetResult['survival']): string {
  if (survival.length === 0) return '';
  return [
    '## Switch index',
    '',
    'k student turns were drawn before the expert. A large k leaves the student time to submit first, so that what remains',
    'leans towards small ones.',
    '',
    markdownTable(
      ['k', 'drawn', 'submitted before the switch', 'handed over', 'of these resolved'],
      survival.map((at) => [at.k, at.drawn, at.submittedBeforeSwitch, at.handedOver, at.resolved]),
    ),
  ].join('\n');
}

/** What the repetition filter dropped, beside what the paper reports. */
export function repetitionSection(repetition: DatasetResult['repetition'], off: boolean): string {
  const paper = PAPER_REPETITION.map(({ setting, rate, reading, identical }) => [
    `paper, ${setting}`,
    '–',
    reading + identical,
    percent(rate),
  ]);
  return [
    '## Repetition',
    '',
    off ? 'The filter was off, so that nothing was dropped.' : 'Of rollouts that passed, those that repeat themselves.',
    '',
    markdownTable(
      ['method', 'passed', 'dropped', 'rate'],
      [
        ...repetition.map(({ method, passed, dropped, rate }) => [cell(method), passed, dropped, percent(rate)]),
        ...paper,
      ],
    ),
  ].join('\n');
}
