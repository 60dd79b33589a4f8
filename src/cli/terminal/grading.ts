import type { GradeResult, ProblemControls } from '../../contract';
import { count, duration } from '../../pages/figures';
import type { Look } from '../../pages/shown-run';
import { heading, shortened, wrapHard } from './columns';
import { ink } from './ink';
import { safeLine } from './safe-text';

const NAMES = 10;

/** A verdict: what passed, what wrong expectations did, what was not judged, what a reader of the patch noticed. */
export function gradeLines(grade: GradeResult, look: Look): string[] {
  const paint = ink(look.coloured);
  const row = (name: string, { passed, total, missing }: GradeResult['failToPass']) => [
    (passed === total && total > 0 ? paint.good : passed < total ? paint.bad : paint.dim)(
      `${name}  ${passed}/${total}`,
    ),
    ...missing
      .slice(0, look.full ? missing.length : NAMES)
      .map((id) => `  ✗ ${shortened(safeLine(id), look.width - 4)}`),
    ...(total - passed > NAMES && !look.full ? [paint.dim(`  … ${total - passed - NAMES} more`)] : []),
  ];
  return [
    heading(`tests · ${grade.verdict.replaceAll('_', ' ')} in ${duration(grade.seconds * 1000)}`, look),
    ...(grade.detail ? wrapHard([safeLine(grade.detail)], look.width) : []),
    ...row('FAIL_TO_PASS', grade.failToPass),
    ...row('PASS_TO_PASS', grade.passToPass),
    ...checkedLines(grade, look),
    ...grade.leftOut.map(({ path, why }) =>
      paint.notice(shortened(`not judged: ${safeLine(path)} ${why}`, look.width)),
    ),
    ...grade.suspicion.map(({ kind, path, line, detail }) =>
      paint.notice(shortened(`⚑ ${kind}: ${safeLine(`${path}:${line ?? '?'} ${detail}`)}`, look.width)),
    ),
    '',
  ];
}

/** Real outcomes say whether a fix works, these whether it was asked. */
function checkedLines({ controls }: GradeResult, look: Look): string[] {
  if (!controls) return [];
  const paint = ink(look.coloured);
  const { tests, of, run, passed, silent } = controls;
  const line = `wrong expectations  ${run} run, ${passed.length} passed (${tests} of ${of} FAIL_TO_PASS have one)`;
  return [
    (passed.length > 0 ? paint.bad : run > 0 ? paint.good : paint.dim)(line),
    ...passed.map((each) =>
      shortened(
        `  ✗ ${safeLine(each.test)}: line ${each.line}, ${safeLine(each.was)} → ${safeLine(each.now)}`,
        look.width,
      ),
    ),
    ...silent.map((test) => shortened(`  ? ${safeLine(test)}: did not run with one`, look.width)),
  ];
}

/** Which tests of a problem have a control, and why the others have none. */
export function controlLines({ tests, of, kinds, without }: ProblemControls): string[] {
  const each = Object.entries(kinds).map(([kind, many]) => `${many} ${kind}`);
  return [
    `  controls: ${tests} of ${count(of, 'test')}${each.length > 0 ? ` (${each.join(', ')})` : ''}`,
    ...without.map(({ why, tests: many, first }) => `  none for ${count(many, 'test')}: ${why} (${first})`),
  ];
}
