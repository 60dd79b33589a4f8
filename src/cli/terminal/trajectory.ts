import type { HandOverRecord } from '../../contract';
import { duration, moment } from '../../pages/figures';
import type { Look, ShownRun } from '../../pages/shown-run';
import { needsExpert } from '../../rollout/handover';
import { shortened } from './columns';
import { ink } from './ink';
import { safeLine } from './safe-text';
import { refusedLines, turnLines } from './turn';
import { endingLines } from './verdict';

/** A whole rollout as a person reads it, from top to bottom. With `only`, that one turn. */
export function trajectoryText(run: ShownRun, look: Look, only?: number): string {
  const turns = run.steps.flatMap((step, at) =>
    only !== undefined && step.turn.turn !== only ? [] : turnLines(step, run.steps[at - 1]?.turn.author, look),
  );
  if (only !== undefined) return turns.join('\n').trimEnd();
  const refused = refusedLines(run.refused ?? [], look);
  return [
    ...headerLines(run, look),
    '',
    ...turns,
    ...(refused.length > 0 ? [...refused, ''] : []),
    ...endingLines(run, look),
  ]
    .join('\n')
    .trimEnd();
}

function headerLines(run: ShownRun, look: Look): string[] {
  const paint = ink(look.coloured);
  const status = run.status === 'chain' ? 'a chain of steps, without its workflow' : run.status;
  const doing = run.phase?.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  const phase = run.status === 'running' && doing && doing !== 'running' ? ` (${doing})` : '';
  const models = [
    ...(run.student ? [`student ${run.student}`] : []),
    ...(run.expert ? [`expert ${run.expert}`] : []),
  ].join(', ');
  return [
    paint.strong(shortened(safeLine(run.problem), look.width)),
    ...(run.id ? [safeLine(run.id)] : []),
    `${statusInk(run.status, look)(status)}${phase}${timing(run)}`,
    ...(models ? [shortened(safeLine(models), look.width)] : []),
    ...handOver(run),
  ];
}

function handOver({ handOver: drawn, policy, status }: ShownRun): string[] {
  if (!drawn) return [];
  const k = drawn.sampled;
  if (k === 0) return ['hand-over: the expert from the first turn (k = 0)'];
  const never = policy && !needsExpert(policy);
  const planned = k !== null ? `after ${k} student turns` : never ? 'never' : 'decided turn by turn';
  const ended = status !== 'running' && status !== 'chain';
  const came = drawn.expertFrom
    ? `; expert since turn ${drawn.expertFrom}${becauseOf(drawn)}`
    : ended && !never
      ? '; it did not come'
      : '';
  return [`hand-over: ${planned}${came}`];
}

/** Why it came, where that was not the policy's own draw. */
function becauseOf({ reason }: HandOverRecord): string {
  if (reason === undefined || reason === 'policy') return '';
  return reason === 'person' ? ', as a person wished' : `, since the student ended with ${reason}`;
}

function timing({ startedAt, endedAt }: ShownRun): string {
  if (!startedAt) return '';
  return ` · ${moment(startedAt)} UTC${endedAt ? ` · ${duration(endedAt.getTime() - startedAt.getTime())}` : ''}`;
}

function statusInk(status: ShownRun['status'], look: Look): (text: string) => string {
  const paint = ink(look.coloured);
  if (status === 'completed') return paint.good;
  if (status === 'running' || status === 'chain') return paint.notice;
  return paint.bad;
}
