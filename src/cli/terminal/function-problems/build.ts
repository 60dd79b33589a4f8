import type { FunctionProblemsProgress } from '../../../contract';
import { count, dollars, duration, grouped, moment } from '../../../pages/figures';
import type { Look } from '../../../pages/shown-run';
import { heading, wrapWords } from '../columns';
import { funnelTable } from '../functions/funnel';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import { rejectedLines } from './instance';
import { instanceTable } from './instances';
import type { ShownBuild } from './shown-build';

/** A whole build: what it was made from, what was left out at which step and why, and the problems. */
export function buildText(build: ShownBuild, look: Look): string {
  const { progress, result, instances, rejected, trouble, links } = build;
  const paint = ink(look.coloured);
  const tried = rejectedLines(rejected, look.width);
  return [
    ...buildHeader(build, look),
    '',
    ...(progress ? [progressLine(progress), ''] : []),
    ...(result?.funnel.some((step) => step.rejected > 0)
      ? [heading('funnel', look), funnelTable(result.funnel, look.width), '']
      : []),
    ...(tried.length > 0 ? [heading('tried and left out', look), ...tried, ''] : []),
    ...(instances.length > 0 ? [heading('problems', look), instanceTable(instances, look.width), ''] : []),
    ...(trouble ? wrapWords([safeLine(trouble)], look.width).map(paint.bad) : []),
    ...(result ? [paint.dim('`function-problems show BUILD PROBLEM` shows one, `--report` the report.')] : []),
    ...links.map(([label, target]) => `${label}  ${target}`),
  ]
    .join('\n')
    .trimEnd();
}

function buildHeader({ id, from, status, result, startedAt, endedAt }: ShownBuild, look: Look): string[] {
  const paint = ink(look.coloured);
  const colour = status === 'completed' ? paint.good : status === 'running' ? paint.notice : paint.bad;
  const took = endedAt ? ` · ${duration(endedAt.getTime() - startedAt.getTime())}` : '';
  return [
    paint.strong(safeLine(`function problems of ${from}`)),
    safeLine(id),
    `${colour(status)} · ${moment(startedAt)} UTC${took}`,
    ...(result
      ? [
          `${count(result.functions, 'function')}, ${grouped(result.tried)} tried, ${grouped(result.admitted)} admitted · ` +
            `${dollars(result.cost.usd)}, ${grouped(result.cost.tokens)} tokens`,
        ]
      : []),
  ];
}

/** Where a build is, in a line. */
export function progressLine({
  phase,
  tried,
  functions,
  admitted,
  working,
  cost,
  paused,
}: FunctionProblemsProgress): string {
  return [
    paused ? 'paused' : phase.toLowerCase(),
    ...(functions > 0 ? [`${tried} of ${count(functions, 'function')}`, `${admitted} admitted`] : []),
    ...(working.length > 0 ? [`at ${working.map(safeLine).join(', ')}`] : []),
    ...(cost.usd > 0 || cost.tokens > 0 ? [dollars(cost.usd)] : []),
  ].join(' · ');
}
