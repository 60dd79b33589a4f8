import type { Charge, Evidence, Finding, SetupVerdictResult } from '../../contract';
import { wrapWords } from '../columns';
import { ink } from '../ink';
import { safeLine } from '../safe-text';
import type { Look } from '../shown-run';
import { commandLines, indented, inside, labelled, outputLines } from './output';

const EVIDENCE = { head: 4, tail: 2 };

/** Every charge with what shows it, and what the judge found when it ran that again. */
export function chargeLines({ charges, findings, detail }: SetupVerdictResult, look: Look): string[] {
  return [
    ...(detail ? labelled('reason', detail, look) : []),
    ...(charges.length === 0 ? ['No charge was brought.'] : []),
    ...charges.flatMap((charge) =>
      oneCharge(
        charge,
        findings.find((finding) => finding.charge === charge.id),
        look,
      ),
    ),
  ];
}

function oneCharge({ id, kind, claim, declared, evidence }: Charge, finding: Finding | undefined, look: Look) {
  const paint = ink(look.coloured);
  const inner = inside(look);
  const found = !finding
    ? 'no finding'
    : `${finding.upheld ? 'upheld' : 'dismissed'} (${finding.ground.replaceAll('_', ' ')})`;
  const colour = !finding ? paint.notice : finding.upheld ? paint.bad : paint.good;
  return [
    ...wrapWords([`${id}. ${kind.replaceAll('_', ' ')} · ${found}: ${safeLine(claim)}`], look.width).map(colour),
    ...indented([
      ...(declared === '' ? [] : labelled('declared', declared, inner)),
      ...evidenceLines(evidence, inner),
      ...(finding?.why ? labelled('judge', finding.why, inner) : []),
      ...(finding?.evidence ?? []).flatMap((again) => evidenceLines(again, inner)),
    ]),
  ];
}

export function evidenceLines({ command, exitCode, timedOut, preview }: Evidence, look: Look): string[] {
  const ended = timedOut ? 'killed at its deadline' : `exit ${exitCode ?? '-'}`;
  return [
    ...commandLines(command, look),
    ...outputLines(`${preview.trimEnd()}\n[${ended}]`.trimStart(), look, EVIDENCE),
  ];
}
