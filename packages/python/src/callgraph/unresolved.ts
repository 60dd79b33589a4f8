import type { Unresolved } from '../../../../src/contract';
import type { Expression } from '../syntax';
import type { Analysis } from './analysis';
import type { Slot } from './slot';
import type { Site } from './values';

const SHOWN = 80;

/** Calls that have no edge, each with what is missing. */
export function unresolvedOf({ calls }: Analysis): Unresolved[] {
  const found: Unresolved[] = [];
  for (const { site, callee } of calls) {
    const why = callee.full
      ? 'more values reach it than are kept: some callees are missing'
      : site.resolved
        ? undefined
        : whyUnresolved(site, callee);
    if (why) found.push({ file: site.module.path, line: site.span.line, text: shown(site), why });
  }
  return found;
}

function whyUnresolved({ callee: expression }: Site, callee: Slot): string {
  if (callee.values.length > 0) return 'what is called is nothing that can be followed';
  return reasonOf(expression);
}

function reasonOf(expression: Expression | undefined): string {
  switch (expression?.kind) {
    case 'name':
      return 'nothing is known to be bound to this name';
    case 'attribute':
      return 'the type of the receiver is not known';
    case 'call':
      return 'what the inner call gives back is not known';
    case 'subscript':
      return 'what is stored under this key is not known';
    default:
      return 'the value of this expression is not known';
  }
}

function shown({ module, span, callee }: Site): string {
  const { start, end } = callee ?? span;
  const text = module.text.slice(start, end).replace(/\s+/g, ' ');
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
}
