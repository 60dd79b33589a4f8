export interface Folding {
  /** Lines shown from the start and from the end. */
  readonly head: number;
  readonly tail: number;
}

export interface Folded {
  readonly head: readonly string[];
  readonly tail: readonly string[];
  /** Lines left out between them; 0 when everything is in `head`. */
  readonly hidden: number;
}

/** First and last lines. Nothing is folded where the note would take as much room as what it hides. */
export function fold(lines: readonly string[], { head, tail }: Folding): Folded {
  if (lines.length <= head + tail + 1) return { head: lines, tail: [], hidden: 0 };
  return {
    head: lines.slice(0, head),
    tail: tail === 0 ? [] : lines.slice(-tail),
    hidden: lines.length - head - tail,
  };
}
