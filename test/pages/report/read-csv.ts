/** RFC 4180 by the book, so that what we write is read by rules and not by our own habits. Rows by header. */
export function readCsv(text: string): Record<string, string>[] {
  const [header, ...rows] = recordsOf(text);
  for (const row of rows)
    if (row.length !== header!.length) throw new Error(`${row.length} fields: ${row.join(' | ')}`);
  if (new Set(header).size !== header!.length) throw new Error(`a name twice: ${header!.join(', ')}`);
  return rows.map((row) => Object.fromEntries(row.map((field, at) => [header![at]!, field])));
}

function recordsOf(text: string): string[][] {
  const records: string[][] = [];
  let [at, record]: [number, string[]] = [0, []];
  while (at < text.length) {
    const quoted = text[at] === '"';
    let field = '';
    if (quoted) {
      for (at += 1; !(text[at] === '"' && text[at + 1] !== '"'); at += 1) {
        if (at >= text.length) throw new Error('a quote is never closed');
        if (text[at] === '"') at += 1;
        field += text[at];
      }
      at += 1;
    } else {
      for (; at < text.length && !/[,\r\n]/.test(text[at]!); at += 1) {
        if (text[at] === '"') throw new Error(`a quote inside of a bare field at ${at}`);
        field += text[at];
      }
    }
    record.push(field);
    if (text[at] === ',') {
      at += 1;
      if (at === text.length) record.push('');
    } else {
      if (text.slice(at, at + 2) !== '\r\n') throw new Error(`a record does not end in CRLF at ${at}`);
      at += 2;
      records.push(record);
      record = [];
    }
  }
  return records;
}
