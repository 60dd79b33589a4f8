import type { RolloutResult } from '../../contract';
import { count, dollars, grouped } from '../../pages/figures';
import type { Look, ShownRun } from '../../pages/shown-run';
import { patchFiles } from '../../pages/viewer/line-diff';
import { lenienceNotes } from '../../rollout/lenience';
import { heading, wrapHard, wrapWords } from './columns';
import { fold } from './fold';
import { gradeLines } from './grading';
import { ink } from './ink';
import { safeLine, safeLines } from './safe-text';

/** How it ended: the diff, the tests, what it used, where to look. */
export function endingLines(run: ShownRun, look: Look): string[] {
  const { result } = run;
  const used = result?.cost ?? run.spent;
  return [
    ...(run.patch
      ? [heading(`patch · ${patchSize(run.patch)}`, look), ...patchLines(run.patch, look), '']
      : result?.patch
        ? [heading('patch', look), ...wrapWords([withoutText(result.patch.bytes)], look.width), '']
        : []),
    ...(result?.grade ? gradeLines(result.grade, look) : []),
    heading('summary', look),
    ...(result ? [verdict(result, look)] : []),
    ...(result ? turnCount(result) : []),
    ...lenienceNotes(result?.lenient ?? {}).flatMap((note) => wrapHard([note], look.width)),
    ...(used ? [`${dollars(used.usd)}, ${grouped(used.tokens)} tokens`] : []),
    ...(run.trouble ? wrapWords([safeLine(run.trouble)], look.width).map(ink(look.coloured).bad) : []),
    ...(run.head ? [`head  ${run.head}`] : []),
    // An address that is wrapped can no longer be clicked or copied, so these lines may be longer than the terminal.
    ...run.links.map(([label, target]) => `${label}  ${target}`),
  ];
}

function withoutText(bytes: number): string {
  if (bytes === 0) return 'The work directory did not change.';
  return `There is a patch of ${count(bytes, 'byte')}, and it is not in this home's store: the worker that ran this keeps another one (\`pointsman status\`).`;
}

/** `submitted, resolved`: the ending and the tests' word in one line. */
export function verdict({ status, resolved, detail }: RolloutResult, look: Look): string {
  const paint = ink(look.coloured);
  const said = resolved === null ? 'not graded' : resolved ? 'resolved' : 'not resolved';
  const colour = resolved === null ? paint.notice : resolved ? paint.good : paint.bad;
  return `${colour(`${status}, ${said}`)}${detail ? ` (${safeLine(detail)})` : ''}`;
}

function turnCount({ turns, handOver, recovered }: RolloutResult): string[] {
  const kept = turns.total - turns.student - turns.expert;
  const by = [
    ...(kept > 0 ? [`${kept} kept from another rollout`] : []),
    `${turns.student} student`,
    `${turns.expert} expert`,
  ].join(', ');
  const retries = turns.formatRetries > 0 ? `, ${count(turns.formatRetries, 'refused reply', 'refused replies')}` : '';
  return [
    `${count(turns.total, 'turn')} (${by})${retries}${handOver.sampled === null ? '' : `, k = ${handOver.sampled}`}`,
    ...(recovered.sandboxes > 0
      ? [
          `${count(recovered.sandboxes, 'sandbox', 'sandboxes')} lost and rebuilt, ${count(recovered.redoneSteps, 'step')} applied again`,
        ]
      : []),
  ];
}

const PATCH = { head: 60, tail: 20 };

/** A git patch, coloured by what each line does. */
function patchLines(patch: string, look: Look): string[] {
  const paint = ink(look.coloured);
  const lines = safeLines(patch.replace(/\n$/, ''));
  const { head, tail, hidden } = look.full ? { head: lines, tail: [], hidden: 0 } : fold(lines, PATCH);
  const show = (line: string) => {
    const style = /^(\+\+\+|---|diff |index |@@)/.test(line)
      ? paint.dim
      : line.startsWith('+')
        ? paint.good
        : line.startsWith('-')
          ? paint.bad
          : (text: string) => text;
    return wrapHard([line], look.width).map(style);
  };
  return [
    ...head.flatMap(show),
    ...(hidden > 0 ? [paint.dim(`… ${hidden} more lines (--full shows them) …`)] : []),
    ...tail.flatMap(show),
  ];
}

/** `3 files, +12 −4`. */
function patchSize(patch: string): string {
  const files = patchFiles(patch);
  const sum = (side: 'added' | 'removed') => files.reduce((total, file) => total + file[side], 0);
  return `${count(files.length, 'file')}, +${sum('added')} −${sum('removed')}`;
}
