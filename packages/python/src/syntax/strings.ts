const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\n': '',
  '\r\n': '',
  '\r': '',
};

/** What the content of a literal stands for. `\N{…}` needs the character database and is kept as it stands. */
export function unescaped(content: string, { raw, bytes }: { raw: boolean; bytes: boolean }): string {
  // The tokenizer of Python turns every line end into one.
  const text = content.includes('\r') ? content.replace(/\r\n?/g, '\n') : content;
  if (raw || !text.includes('\\')) return text;
  return text.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g,
    (whole, octal?: string, hex?: string, short?: string, long?: string, other?: string) => {
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8) & (bytes ? 0xff : 0x1ff));
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      const unicode = short ?? long;
      if (unicode !== undefined) {
        const point = Number.parseInt(unicode, 16);
        return bytes || point > 0x10ffff ? whole : String.fromCodePoint(point);
      }
      return ESCAPES[other!] ?? whole;
    },
  );
}

interface Prefix {
  readonly raw: boolean;
  readonly bytes: boolean;
  readonly formatted: boolean;
}

/** What the letters before the opening quote mean. */
export function prefixOf(opening: string): Prefix {
  const letters = opening.toLowerCase();
  return { raw: letters.includes('r'), bytes: letters.includes('b'), formatted: /[ft]/.test(letters) };
}

/** What `inspect.cleandoc` makes of a docstring: the margin that all lines but the first share is taken off. */
export function cleaned(docstring: string): string {
  const [first = '', ...rest] = docstring.replace(/\t/g, '        ').split('\n');
  const margins = rest.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const margin = margins.length > 0 ? Math.min(...margins) : 0;
  return [first.trimStart(), ...rest.map((line) => line.slice(margin).trimEnd())]
    .join('\n')
    .replace(/^\n+/, '')
    .trimEnd();
}
