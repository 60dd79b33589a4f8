/** Markdown that names from elsewhere cannot break: what stands in a cell stays in it. */

export function cell(value: string | number): string {
  return String(value)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/[\\`*_{}[\]<>|#]/g, (char) => `\\${char}`);
}

export function code(value: string): string {
  return `\`${value.replace(/[\p{Cc}\p{Cf}\u2028\u2029`|]+/gu, ' ')}\``;
}

/** JSON in which characters that nobody sees are written as escapes. */
export function visible(json: string): string {
  return json.replace(
    /[\p{Cf}\u2028\u2029]/gu,
    (char) =>
      `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}${char.length > 1 ? `\\u${char.charCodeAt(1).toString(16)}` : ''}`,
  );
}

/** A table of finished Markdown; columns of figures are aligned right. */
export function markdownTable(header: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const rule = header.map((_, i) => (rows.length > 0 && rows.every((row) => isFigure(row[i])) ? '---:' : '---'));
  return [header, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function isFigure(value: string | number | undefined): boolean {
  return typeof value === 'number' || /^(?:–|[\d.]+ ?%?)$/.test(value ?? '');
}

export function words(name: string): string {
  return name.replaceAll('_', ' ');
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
