/** Code that runs on inside a line of prose is told from chance by its length. */
const INSIDE = 16;

/**
 * Why a docstring gives its function's body away; null where it does not. A line of the body, whatever its length, may not
 * stand as a line of the docstring (as an example's either), and a longer one nowhere inside. What the repository's own
 * docstring shows may stay.
 */
export function leakedLine(docstring: string, original: string, body: readonly string[]): string | null {
  const own = new Set(original.split('\n').map(normalized));
  const lines = docstring
    .split('\n')
    .map(normalized)
    .filter((line) => !own.has(line));
  const whole = lines.join(' ');
  const before = [...own].join(' ');
  for (const line of body.map(normalized)) {
    // Brackets and the like say nothing of how it works.
    if (!/\w/.test(line) || line.startsWith('#')) continue;
    const inside = line.length >= INSIDE && whole.includes(line) && !before.includes(line);
    if (inside || lines.includes(line)) return `it repeats the implementation: ${line.slice(0, 80)}`;
  }
  return null;
}

/** Prompts of examples, list marks and backticks around code taken off, white space made one. */
function normalized(line: string): string {
  return line
    .trim()
    .replace(/^(>>>|\.\.\.|[-*])\s+/, '')
    .replace(/^`+|`+$/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
