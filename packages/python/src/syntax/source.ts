import type { Span, SyntaxTrouble } from './syntax';
import type { Twig } from './tree';

/** The text that is read, and where its lines start. What is found wrong in it is collected here. */
export class Source {
  readonly lineStarts: readonly number[];
  readonly errors: SyntaxTrouble[] = [];
  private last = 0;

  constructor(readonly text: string) {
    this.lineStarts = lineStartsOf(text);
  }

  textOf({ start, end }: { readonly start: number; readonly end: number }): string {
    return this.text.slice(start, end);
  }

  /** The line that an offset lies in. Nearly every question is about the line of the question before. */
  lineAt(offset: number): number {
    const { lineStarts } = this;
    let low = 0;
    let high = lineStarts.length - 1;
    if (lineStarts[this.last]! <= offset) {
      low = this.last;
      if (low === high || offset < lineStarts[low + 1]!) return low + 1;
    } else high = this.last;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (lineStarts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    this.last = low;
    return low + 1;
  }

  span(start: number, end: number): Span {
    const line = this.lineAt(start);
    return { start, end, line, endLine: end > start ? this.lineAt(end - 1) : line };
  }

  spanOf(twig: Twig): Span {
    return this.span(twig.start, twig.end);
  }

  trouble(twig: Twig): void {
    const text = this.textOf(twig).split(/[\r\n]/, 1)[0]!;
    this.errors.push({ line: this.lineAt(twig.start), text: text.slice(0, 80) });
  }
}

/** Python ends a line at `\n`, `\r\n` and `\r`. */
function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) starts.push(index + end.length);
  return starts;
}
