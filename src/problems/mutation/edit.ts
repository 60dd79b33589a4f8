import type { Span } from '../python';

/** One change of a file's text, and the kind of mistake that it stands for. */
export interface Edit {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function replacing(operator: string, { start, end }: Pick<Span, 'start' | 'end'>, text: string): Edit {
  return { operator, start, end, text };
}

/**
 * Where an operator stands between its operands. The gap holds nothing else but parentheses, white space, line
 * continuations and comments; a comment's words are no operators.
 */
export function operatorSpan(
  text: string,
  left: Span,
  right: Span,
  operator: string,
): { start: number; end: number } | undefined {
  const gap = text.slice(left.end, right.start).replace(/#[^\n]*/g, (comment) => ' '.repeat(comment.length));
  const words = operator.split(' ').map((word) => word.replace(/[^\w]/g, '\\$&'));
  const found = new RegExp(words.join('[\\s\\\\]+')).exec(gap);
  return found ? { start: left.end + found.index, end: left.end + found.index + found[0].length } : undefined;
}
