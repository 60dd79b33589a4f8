import type { RepoSetupResult } from '../../contract';
import { countsLine } from '../../setup/counts-line';
import { shortened, wrapWords } from '../columns';
import { count, dollars, duration, grouped, moment } from '../figures';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import type { Look } from '../shown-run';
import { labelled } from './output';
import type { ShownSetup } from './shown-setup';

/** What it is about, where it is, and who says what of it. */
export function setupHeader(run: ShownSetup, look: Look): string[] {
  const paint = ink(look.coloured);
  const { result, progress } = run;
  return [
    paint.strong(shortened(safeLine(run.source), look.width)),
    ...(run.id ? [safeLine(run.id)] : []),
    statusLine(run, look),
    ...(result ? claimLines(result, look) : []),
    ...used(run, look),
    ...(progress?.error ? labelled('in the way', progress.error, look).map(paint.bad) : []),
    ...(progress && progress.frames.length > 0 ? labelled('frames', progress.frames.join(' › '), look) : []),
    ...(progress && progress.suggested.length > 0 ? labelled('suggested', progress.suggested.join(', '), look) : []),
  ];
}

function statusLine({ status, phase, result, startedAt, endedAt }: ShownSetup, look: Look): string {
  const paint = ink(look.coloured);
  const said = status === 'chain' ? 'a chain of steps, without its workflow' : status;
  const doing = status === 'running' && phase ? ` (${safeLine(phase.toLowerCase())})` : '';
  const outcome = result ? `, ${result.status.replaceAll('_', ' ')}` : '';
  const good = status === 'completed' && result?.status === 'verified';
  const colour = good ? paint.good : status === 'running' || status === 'chain' ? paint.notice : paint.bad;
  const took = endedAt && startedAt ? ` · ${duration(endedAt.getTime() - startedAt.getTime())}` : '';
  return `${colour(`${said}${outcome}`)}${doing}${startedAt ? ` · ${moment(startedAt)} UTC` : ''}${took}`;
}

/** The agent's word, the verifier's and the court's side by side: where they differ is what a reader came for. */
export function claimLines(result: RepoSetupResult, look: Look): string[] {
  const paint = ink(look.coloured);
  const { verifier, verdict, selfClaim, tests } = result;
  const says = (name: string, word: string, good: boolean | null) =>
    `${name} ${(good === null ? paint.dim : good ? paint.good : paint.bad)(word)}`;
  const words = [
    says('self-claim', selfClaim ? 'yes' : 'no', selfClaim),
    says('verifier', verifier === null ? 'none' : verifier.success ? 'yes' : 'no', verifier?.success ?? null),
    says(
      'verdict',
      verdict === null ? 'not judged' : verdict.verdict.replaceAll('_', ' '),
      verdict === null ? null : verdict.verdict === 'not_guilty',
    ),
  ];
  const how = verifier?.smoke ? 'smoke test' : safeLine(verifier?.framework ?? 'tests');
  return [words.join('  │  '), ...wrapWords([`${how}: ${countsLine(tests)}`], look.width)];
}

function used({ steps, result, progress, agent, role }: ShownSetup, look: Look): string[] {
  if (role !== 'agent')
    return [steps.length === 0 ? `The ${role} made no move.` : `${count(steps.length, 'move')} of the ${role}`];
  const cost = result?.cost ?? progress?.cost;
  const facts = [
    ...(agent ? [safeLine(agent)] : []),
    count(result?.steps ?? steps.length, 'step'),
    ...(result && result.rollbacks > 0 ? [count(result.rollbacks, 'rollback')] : []),
    ...(result && result.formatRetries > 0
      ? [count(result.formatRetries, 'malformed reply', 'malformed replies')]
      : []),
    ...(cost ? [dollars(cost.usd), `${grouped(cost.tokens)} tokens`] : []),
  ];
  return wrapWords([facts.join(', ')], look.width);
}
