/** One argument for a POSIX shell: what is read back is exactly `text`. */
export function quoted(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * A value for `export`, where `$NAME` and `${NAME}` mean the variable (people write `/opt/x/bin:$PATH`) and everything else
 * means itself: command substitution stays text.
 */
export function quotedValue(text: string): string {
  const reference = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g;
  if (text.search(reference) === -1) return quoted(text);
  const parts: string[] = [];
  let from = 0;
  for (const found of text.matchAll(reference)) {
    parts.push(inDoubleQuotes(text.slice(from, found.index)), `\${${found[1] ?? found[2]}}`);
    from = found.index + found[0].length;
  }
  return `"${parts.join('')}${inDoubleQuotes(text.slice(from))}"`;
}

function inDoubleQuotes(text: string): string {
  return text.replace(/[\\"$`]/g, '\\$&');
}
