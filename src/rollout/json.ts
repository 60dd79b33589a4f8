/** JSON as models write it. */

/** An object in a text. */
export interface FoundObject {
  readonly value: Record<string, unknown>;
  /** Just behind its last brace. */
  readonly end: number;
  /** It was no JSON as it stood: line ends or tabs were bare in its strings. */
  readonly loose?: true;
}

/** The JSON object that begins at `start`; null when it does not close or is none. */
export function objectAt(text: string, start: number): FoundObject | null {
  const end = closeOf(text, start);
  if (end === null) return null;
  const written = text.slice(start, end);
  const value = objectOf(written);
  if (value) return { value, end };
  const mended = objectOf(withEscapes(written));
  return mended && { value: mended, end, loose: true };
}

/**
 * All outermost JSON objects of a text, and the text between them. After many brackets that begin no object, what is left is
 * taken for text: each of them is read to where it closes.
 */
export function objectsIn(text: string): { found: (FoundObject & { readonly start: number })[]; between: string[] } {
  const found: (FoundObject & { start: number })[] = [];
  const between: string[] = [];
  let from = 0;
  let patience = 1_000_000 + 8 * text.length;
  for (let at = text.indexOf('{'); at >= 0 && patience > 0; at = text.indexOf('{', at)) {
    const object = objectAt(text, at);
    if (object === null) {
      patience -= (closeOf(text, at) ?? text.length) - at;
      at += 1;
      continue;
    }
    found.push({ ...object, start: at });
    between.push(text.slice(from, at));
    from = object.end;
    at = object.end;
  }
  between.push(text.slice(from));
  return { found, between };
}

/** Just after the brace that closes the one at `start`; null when it never closes. */
function closeOf(text: string, start: number): number | null {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return null;
}

function objectOf(text: string): Record<string, unknown> | null {
  // Most braces of a text are no JSON: to be told so by an exception takes a hundred times as long.
  if (!/^\{\s*["}]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes the control characters that stand bare in strings: weak models write a script with real line ends. */
function withEscapes(text: string): string {
  let quoted = false;
  let escaped = false;
  let mended = '';
  for (const char of text) {
    mended += quoted && !escaped ? (ESCAPES[char] ?? char) : char;
    if (escaped) escaped = false;
    else if (quoted && char === '\\') escaped = true;
    else if (char === '"') quoted = !quoted;
  }
  return mended;
}
