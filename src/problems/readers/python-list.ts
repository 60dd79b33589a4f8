/** Escapes of Python's string literals that stand for one character. */
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  "'": "'",
  '"': '"',
  '\\': '\\',
  '\n': '',
};

/**
 * The texts of a list as Python prints it: `['a', "it's"]`; without commas too, as numpy prints arrays. Undefined where the
 * text is no list of texts. Nothing is evaluated.
 */
export function readPythonList(text: string): string[] | undefined {
  const body = text.trim();
  if (!/^[[(]/.test(body) || !/[\])]$/.test(body)) return undefined;
  const end = body.length - 1;
  const items: string[] = [];
  let at = 1;
  while (at < end) {
    const char = body[at]!;
    if (/[\s,]/.test(char)) {
      at += 1;
      continue;
    }
    if (char !== "'" && char !== '"') return undefined;
    const parts: string[] = [];
    at += 1;
    for (;;) {
      if (at >= end) return undefined;
      const next = body[at]!;
      if (next === char) break;
      if (next !== '\\') {
        parts.push(next);
        at += 1;
        continue;
      }
      const [read, length] = escapeAt(body, at);
      parts.push(read);
      at += length;
    }
    items.push(parts.join(''));
    at += 1;
  }
  return items;
}

/** What an escape stands for, and how long it is. One that Python does not know is two characters. */
function escapeAt(text: string, at: number): readonly [string, number] {
  const name = text[at + 1] ?? '';
  const known = ESCAPES[name];
  if (known !== undefined) return [known, 2];
  const digits = { x: 2, u: 4, U: 8 }[name];
  const code = digits === undefined ? undefined : text.slice(at + 2, at + 2 + digits);
  if (code === undefined || !/^[0-9a-f]+$/i.test(code) || code.length !== digits) return [`\\${name}`, 1 + name.length];
  const point = Number.parseInt(code, 16);
  return point > 0x10ffff ? [`\\${name}`, 2] : [String.fromCodePoint(point), 2 + digits!];
}
