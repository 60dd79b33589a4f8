/** Characters of required text from which looking for it first saves more than it costs. */
const WORTHWHILE = 4;

/**
 * The longest text, in lower case, that is in everything a pattern matches; empty where there is none worth looking for.
 * Ten thousand patterns are mostly about something else, and to look for a text is a hundred times cheaper than to compile
 * an expression. Conservative: groups, classes, alternatives and what may be repeated no times count as nothing.
 */
export function requiredText(pattern: string): string {
  let longest = '';
  let run = '';
  const end = (kept = run) => {
    if (kept.length > longest.length) longest = kept;
    run = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    const next = pattern[at + 1] ?? '';
    // Alternatives, and escapes that are spelt with more than one letter after the backslash.
    if (char === '|' || (char === '\\' && /[0-9ckpPux]/.test(next))) return '';
    if (char === '(') {
      end();
      at = afterGroup(pattern, at) - 1;
    } else if (char === '[') {
      end();
      at = afterClass(pattern, at) - 1;
    } else if ('?*{'.includes(char)) {
      end(run.slice(0, -1));
      // Counts are no text. A brace without them stands for itself, and so does what follows it.
      at += (/^\{\d+(?:,\d*)?\}/.exec(pattern.slice(at))?.[0].length ?? 1) - 1;
    } else if ('^$.+)]}'.includes(char) || char > '~') end();
    else if (char !== '\\') run += char;
    else {
      at += 1;
      if (/[^\w\s]/.test(next)) run += next;
      else end();
    }
  }
  end();
  return longest.length < WORTHWHILE ? '' : longest.toLowerCase();
}

/** Where a group that opens at `from` has ended, whatever is in it. */
function afterGroup(pattern: string, from: number): number {
  let depth = 0;
  for (let at = from; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    else if (char === '[') at = afterClass(pattern, at) - 1;
    else if (char === '(') depth += 1;
    else if (char === ')' && --depth === 0) return at + 1;
  }
  return pattern.length;
}

function afterClass(pattern: string, from: number): number {
  for (let at = from + 1; at < pattern.length; at++) {
    if (pattern[at] === '\\') at += 1;
    else if (pattern[at] === ']') return at + 1;
  }
  return pattern.length;
}
