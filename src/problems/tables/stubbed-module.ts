import { eachStatement, type Python } from '@pointsman/python';
import { type FunctionInstance, PointsmanError } from '../../contract';
import { placeCandidate } from '../candidate';
import { unifiedDiff } from '../unified-diff';

export interface StubbedModule {
  /** The function's file with its refined docstring and a body that only raises. */
  readonly text: string;
  /** Patch from there to the file as the repository has it. */
  readonly gold: string;
}

/** `moduleText` is the file as the repository has it. Throws `InvalidInput` where it does not hold the function. */
export function stubbedModule(python: Python, instance: FunctionInstance, moduleText: string): StubbedModule {
  const { target } = instance.subject;
  const file = python.parse(target.file, moduleText);
  const placed = placeCandidate(python, file, target, stubOf(python, instance));
  if ('refused' in placed) {
    throw new PointsmanError(
      'InvalidInput',
      `${instance.id}: no stub fits into ${target.file}: ${placed.refused}`,
      'The instance and the file belong to different revisions.',
    );
  }
  return { text: placed.text, gold: unifiedDiff(target.file, placed.text, moduleText) };
}

/** The signature with a body that only raises, indented as its docstring is. */
function stubOf(python: Python, { signature }: FunctionInstance): string {
  const head = signature.trimEnd();
  const def = /^[ \t]*(?=(?:async[ \t]+)?def\b)/m.exec(head)?.[0] ?? '';
  let margin = `${def}    `;
  eachStatement(python.parse('signature.py', `${head}\n`).body, (each) => {
    if (each.kind !== 'function' || each.docstring === undefined) return true;
    const { start } = each.body[0]!;
    const before = head.slice(head.lastIndexOf('\n', start - 1) + 1, start);
    if (before.trim() === '') margin = before;
    return false;
  });
  return `${head}\n${margin}raise NotImplementedError\n`;
}
