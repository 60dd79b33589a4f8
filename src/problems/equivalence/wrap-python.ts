const STEP = 4;

/**
 * A statement of one line, broken inside of its outermost brackets where it is wider than `width` columns: an element a
 * line, and so on within. What cannot be broken stays as it is. `indent` is counted in columns and written before each line.
 */
export function wrapPython(statement: string, indent: number, width: number): string[] {
  const line = ' '.repeat(indent) + statement;
  if (line.length <= width || statement.includes('\n')) return [line];
  const bracket = lastBracket(statement);
  if (!bracket) return [line];
  const elements = bracket.elements.filter((text) => text !== '');
  if (elements.length === 0) return [line];
  // A comma after a lone element would make a tuple of it, or be none that Python allows.
  const comma = bracket.elements.length > 1;
  const inner = elements.flatMap((element, at) => {
    const lines = wrapPython(element, indent + STEP, width);
    return comma || at < elements.length - 1 ? lines.with(-1, `${lines.at(-1)},`) : lines;
  });
  return [' '.repeat(indent) + bracket.head, ...inner, ' '.repeat(indent) + bracket.tail];
}

interface Bracket {
  /** Up to and with the opening bracket. */
  readonly head: string;
  /** Between top-level commas; an empty last one for a comma before the closing bracket. */
  readonly elements: readonly string[];
  /** From the closing bracket on. */
  readonly tail: string;
}

/** The last bracket pair that stands in no other. */
function lastBracket(text: string): Bracket | undefined {
  let depth = 0;
  let open = -1;
  let close = -1;
  let commas: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '#') break;
    if (character === '"' || character === "'") {
      at = endOfString(text, at);
      continue;
    }
    if ('([{'.includes(character)) {
      if (depth++ === 0) [open, commas] = [at, []];
    } else if (')]}'.includes(character)) {
      if (--depth === 0) close = at;
    } else if (character === ',' && depth === 1) commas.push(at);
  }
  if (close < open || depth !== 0 || open < 0) return undefined;
  const cuts = [open, ...commas, close];
  const elements = cuts.slice(1).map((cut, at) => text.slice(cuts[at]! + 1, cut).trim());
  return { head: text.slice(0, open + 1), elements, tail: text.slice(close) };
}

/** Index of the quote that ends the string which begins at `at`; of the text's last character where none does. */
function endOfString(text: string, at: number): number {
  const quote = text.startsWith(text[at]!.repeat(3), at) ? text[at]!.repeat(3) : text[at]!;
  for (let next = at + quote.length; next < text.length; next++) {
    if (text[next] === '\\') next++;
    else if (text.startsWith(quote, next)) return next + quote.length - 1;
  }
  return text.length - 1;
}
