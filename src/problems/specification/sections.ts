/** How a docstring writes its sections; `google` also of one that has none. */
type DocStyle = 'google' | 'numpy' | 'sphinx';
export type SectionTitle = 'Args' | 'Returns' | 'Raises' | 'Examples';

export interface DocEntry {
  /** `x`, `*args`, `ValueError`. */
  readonly name: string;
  readonly line: number;
  /** Whether a type is written with it. */
  readonly typed: boolean;
}

export interface DocSection {
  readonly title: SectionTitle;
  /** Index of its title line. */
  readonly line: number;
  /** Index of its first line of content. */
  readonly from: number;
  /** Index after its last line that is not empty. */
  readonly to: number;
  /** Columns that its content is indented by. */
  readonly indent: number;
  readonly entries: readonly DocEntry[];
}

export interface ReadDocstring {
  readonly style: DocStyle;
  readonly lines: readonly string[];
  readonly sections: readonly DocSection[];
}

const TITLES: readonly [SectionTitle, RegExp][] = [
  ['Args', /^(args|arguments|parameters|params|keyword args|keyword arguments|other parameters)$/i],
  ['Returns', /^(returns?|yields?)$/i],
  ['Raises', /^(raises?|exceptions?)$/i],
  ['Examples', /^(examples?|usage|doctests?)$/i],
];
/** Sections that end another one, without being of use here. */
const OTHER = /^(notes?|see also|references|warnings?|warns|attributes|methods|todo|receives|side effects|algorithm)$/i;
const FIELD =
  /^:(param|parameter|arg|argument|key|keyword|type|returns?|rtype|raises?|except|exception)\b\s{0,20}([^:]{0,300}):/;

/** Reads the sections of a dedented docstring. A title without content is prose. */
export function readDocstring(docstring: string): ReadDocstring {
  const lines = docstring === '' ? [] : docstring.split('\n');
  const heads = lines.flatMap((_, at) => headAt(lines, at) ?? []);
  const sections = heads.flatMap((head, index) => {
    const { title, line, from } = head;
    const limit = heads[index + 1]?.line ?? lines.length;
    const to = endOf(lines, head, limit);
    if (title === 'other' || to <= from) return [];
    const indent = Math.min(
      ...lines
        .slice(from, to)
        .filter((text) => text.trim() !== '')
        .map(indentOf),
    );
    const entries = lines
      .slice(from, to)
      .flatMap((text, at) => (indentOf(text) === indent ? entryOf(text.trim(), from + at, head.style, title) : []));
    return [{ title, line, from, to, indent, entries }];
  });
  const fields = sphinxSections(lines);
  if (fields.length > 0) return { style: 'sphinx', lines, sections: [...fields, ...sections] };
  return { style: heads.some(({ style }) => style === 'numpy') ? 'numpy' : 'google', lines, sections };
}

interface Head {
  readonly title: SectionTitle | 'other';
  readonly style: 'google' | 'numpy';
  readonly line: number;
  readonly from: number;
}

function headAt(lines: readonly string[], line: number): Head | undefined {
  const text = lines[line]!;
  const named = (word: string) => (OTHER.test(word) ? 'other' : TITLES.find(([, pattern]) => pattern.test(word))?.[0]);
  if (/^\s*(-{3,}|={3,})\s*$/.test(lines[line + 1] ?? '')) {
    return { title: named(text.trim()) ?? 'other', style: 'numpy', line, from: line + 2 };
  }
  const word = /^([A-Za-z\s]+)::?$/.exec(text)?.[1]?.trim();
  const title = word && named(word);
  return title ? { title, style: 'google', line, from: line + 1 } : undefined;
}

/** A section goes on to the next title, or (Google's) to the first line that is indented no further than its title. */
function endOf(lines: readonly string[], { style, line, from }: Head, limit: number): number {
  let to = from;
  for (let at = from; at < limit; at++) {
    if (lines[at]!.trim() === '') continue;
    if (style === 'google' && indentOf(lines[at]!) <= indentOf(lines[line]!)) break;
    to = at + 1;
  }
  return to;
}

function entryOf(text: string, line: number, style: 'google' | 'numpy', title: SectionTitle): DocEntry[] {
  if (title === 'Examples') return [];
  if (style === 'numpy') {
    const [, names, type] = /^(\*{0,2}[\w.]+(?:\s*,\s*\*{0,2}\w+)*)\s*(:.*)?$/.exec(text) ?? [];
    return (names?.split(',') ?? []).map((name) => ({ name: name.trim(), line, typed: type !== undefined }));
  }
  if (title === 'Returns')
    return [{ name: '', line, typed: /^[\w.]+(\[.*\])?( or [\w.]+)*( \| [\w.]+)*:(\s|$)/.test(text) }];
  const found = /^(\*{0,2}[\w.]+)\s*(?:(\([^)]*\))\s*)?(:|$)/.exec(text);
  return found ? [{ name: found[1]!, line, typed: found[2] !== undefined }] : [];
}

/** `:param int x:` and its like, each run of fields of one sort a section. */
function sphinxSections(lines: readonly string[]): DocSection[] {
  const fields = lines.flatMap((text, line) => {
    const [, word, rest] = FIELD.exec(text.trim()) ?? [];
    return word === undefined ? [] : [{ word, rest: rest!.trim(), line, indent: indentOf(text) }];
  });
  const sections: DocSection[] = [];
  for (const [title, words] of FIELD_WORDS) {
    const own = fields.filter(({ word }) => words.test(word));
    if (own.length === 0) continue;
    const typed = new Set(fields.filter(({ word }) => word === 'type').map(({ rest }) => rest));
    const entries = own.map(({ word, rest, line }) => {
      const name = title === 'Returns' ? '' : rest.split(/\s+/).at(-1)!;
      const typedHere = title === 'Returns' ? fields.some((each) => each.word === 'rtype') : /\s/.test(rest);
      return { name, line, typed: typedHere || word === 'type' || typed.has(name) };
    });
    const last = own.at(-1)!;
    const next = lines.findIndex((text, at) => at > last.line && (text.trim() === '' || indentOf(text) <= last.indent));
    const to = next < 0 ? lines.length : next;
    sections.push({ title, line: own[0]!.line, from: own[0]!.line, to, indent: last.indent, entries });
  }
  return sections;
}

const FIELD_WORDS: readonly [SectionTitle, RegExp][] = [
  ['Args', /^(param|parameter|arg|argument|key|keyword|type)$/],
  ['Returns', /^(returns?|rtype)$/],
  ['Raises', /^(raises?|except|exception)$/],
];

function indentOf(line: string): number {
  return /^ */.exec(line)![0].length;
}
