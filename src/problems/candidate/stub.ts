import type { FunctionStatement, ModuleSyntax, Statement } from '@pointsman/python';
import type { FunctionTarget } from '../../contract';
import { bodyOf, functionAt } from './function-at';
import { reindented } from './indentation';

type Target = Pick<FunctionTarget, 'name' | 'lines'>;

/** The function as the file has it, decorators included, at the margin. Undefined where the file does not define it. */
export function referenceOf(module: ModuleSyntax, target: Target): string | undefined {
  const found = functionAt(module, target)?.statement;
  return found && `${reindented(module, found, found.start, '')}\n`;
}

/** Decorators, `def` line and docstring, at the margin: what a solver is shown. */
export function signatureOf(module: ModuleSyntax, target: Target): string | undefined {
  const found = functionAt(module, target)?.statement;
  if (!found) return undefined;
  const head = headOf(module, found);
  return `${reindented(module, { ...found, body: head.docstring, end: head.end }, found.start, '')}\n`;
}

/** The function with a body that only raises. */
export function stubOf(module: ModuleSyntax, target: Target): string | undefined {
  const found = functionAt(module, target)?.statement;
  return found && `${signatureOf(module, target)}${innerIndent(module, found)}raise NotImplementedError\n`;
}

/** Whether a function's body says nothing: `pass`, `...`, `raise NotImplementedError`, or a docstring alone. */
export function isStub(statement: FunctionStatement): boolean {
  return bodyOf(statement).every((each) => {
    if (each.kind === 'raise') {
      const raised = each.exception?.kind === 'call' ? each.exception.callee : each.exception;
      return raised?.kind === 'name' && raised.id === 'NotImplementedError';
    }
    return each.kind === 'pass' || (each.kind === 'expression' && each.value.kind === 'ellipsis');
  });
}

/** Up to the colon of the `def` line or, where there is one, to the end of the docstring. */
function headOf(module: ModuleSyntax, statement: FunctionStatement): { end: number; docstring: Statement[] } {
  const { body, docstring, returns, parameters, nameSpan } = statement;
  const first = body[0]!;
  const from = Math.max(nameSpan.end, returns?.end ?? 0, ...parameters.map(({ end }) => end));
  const gap = module.text.slice(from, first.start).replace(/#[^\n]*/g, (comment) => ' '.repeat(comment.length));
  const colon = from + gap.lastIndexOf(':') + 1;
  const ownLine = module.text.slice(colon, first.start).includes('\n');
  return docstring !== undefined && ownLine ? { end: first.end, docstring: [first] } : { end: colon, docstring: [] };
}

/** What the body is indented by over its `def`, in the file's own manner. */
export function innerIndent(module: ModuleSyntax, { keyword, body }: FunctionStatement): string {
  const marginAt = (offset: number) => {
    const from = module.text.lastIndexOf('\n', offset - 1) + 1;
    return module.text.slice(from, offset);
  };
  const [outer, inner] = [marginAt(keyword.start), marginAt(body[0]!.start)];
  return inner.trim() === '' && inner.length > outer.length ? inner.slice(outer.length) : '    ';
}
