import { type DescribedFunction, type ObservedTypes, typeList } from './described';
import type { Example } from './examples';
import { type DocEntry, type DocSection, type ReadDocstring, readDocstring, type SectionTitle } from './sections';

export interface Additions {
  readonly types: ObservedTypes;
  readonly examples: readonly Example[];
}

/**
 * A dedented docstring with types and examples added where it lacks them: into the sections that it has, in its own style
 * (Google's, NumPy's, Sphinx's), new sections (Google's, where it has no style) at its end. No line is taken away; a line
 * changes only where an entry gets its type.
 */
export function appendTo(docstring: string, described: DescribedFunction, additions: Additions): string {
  const read = readDocstring(docstring);
  const parts = [
    argumentsPart(read, described, additions),
    returnsPart(read, additions),
    raisesPart(read, additions),
    examplesPart(read, additions),
  ];
  const lines = read.lines.map((line, at) => parts.reduce((text, { typed }) => typed.get(at)?.(text) ?? text, line));
  const inserted = parts.filter(({ section, added }) => section && added.length > 0);
  for (const { section, added } of inserted.sort((a, b) => b.section!.to - a.section!.to)) {
    lines.splice(section!.to, 0, ...added.map((line) => ' '.repeat(section!.indent) + line));
  }
  const fresh = parts.filter(({ section, added }) => !section && added.length > 0);
  const blocks = fresh.map(({ title, added }) => newSection(read, title, added));
  // Fields of Sphinx follow one another without empty lines, and must not run into prose.
  const fields = blocks.filter(({ heading }) => heading.length === 0).flatMap(({ body }) => body);
  const sections = blocks
    .filter(({ heading }) => heading.length > 0)
    .map(({ heading, body }) => [...heading, ...body].join('\n'));
  const end = /^\s*:/.test(lines.at(-1) ?? '') ? '\n' : '\n\n';
  const withFields = fields.length > 0 ? `${lines.join('\n')}${end}${fields.join('\n')}` : lines.join('\n');
  return [withFields, ...sections].filter((text) => text !== '').join('\n\n');
}

interface Part {
  readonly title: SectionTitle;
  /** Section that is there; without it `added` makes a new one. */
  readonly section: DocSection | undefined;
  readonly added: readonly string[];
  /** Lines that get a type, by index. */
  readonly typed: ReadonlyMap<number, (line: string) => string>;
}

function argumentsPart(read: ReadDocstring, { parameters }: DescribedFunction, { types }: Additions): Part {
  const own = sectionsOf(read, 'Args');
  const entries = new Map(own.flatMap((section) => section.entries).map((entry) => [bare(entry.name), entry]));
  const typed: [DocEntry, string][] = [];
  const added: string[] = [];
  for (const { name, form } of parameters) {
    const seen = types.arguments[name];
    if (!seen || form === 'varPositional' || form === 'varKeyword') continue;
    const entry = entries.get(name);
    if (entry?.typed) continue;
    if (entry && read.style !== 'sphinx') typed.push([entry, typeList(seen)]);
    else added.push(entryText(read, name, typeList(seen)));
  }
  return {
    title: 'Args',
    section: own.at(-1),
    added,
    typed: new Map(typed.map(([entry, type]) => [entry.line, typing(read, entry, type)])),
  };
}

function returnsPart(read: ReadDocstring, { types }: Additions): Part {
  const [section] = sectionsOf(read, 'Returns');
  const type = typeList(types.returned);
  const part = { title: 'Returns', section, added: [], typed: new Map() } as const;
  if (type === '' || section?.entries.some(({ typed }) => typed)) return part;
  if (read.style === 'sphinx') return { ...part, added: [`:rtype: ${type}`] };
  if (!section) return { ...part, added: [type] };
  // What NumPy's style has as the first line of a section is the type already.
  if (read.style === 'numpy') return part;
  return {
    ...part,
    typed: new Map([[section.from, (line: string) => line.replace(/\S/, (first) => `${type}: ${first}`)]]),
  };
}

function raisesPart(read: ReadDocstring, { types }: Additions): Part {
  const own = sectionsOf(read, 'Raises');
  const last = (name: string) => name.split('.').at(-1)!;
  const known = new Set(own.flatMap((section) => section.entries).map(({ name }) => last(name)));
  const missing = types.raised.filter((name) => !known.has(last(name)));
  const added = missing.map((name) => (read.style === 'sphinx' ? `:raises ${last(name)}:` : last(name)));
  return { title: 'Raises', section: own.at(-1), added, typed: new Map() };
}

/** Examples that stand there already are not repeated, and count. */
function examplesPart(read: ReadDocstring, { examples }: Additions): Part {
  const section = sectionsOf(read, 'Examples').at(-1);
  const there = read.lines.filter((line) => line.trim().startsWith('>>> '));
  const fresh = examples.filter(({ call }) => !there.some((line) => line.trim().slice(4) === call));
  const room = fresh.slice(0, Math.max(0, 3 - there.length));
  const added = room.flatMap(({ call, result }) => [`>>> ${call}`, result]);
  return { title: 'Examples', section, added, typed: new Map() };
}

function sectionsOf({ sections }: ReadDocstring, title: SectionTitle): DocSection[] {
  return sections.filter((section) => section.title === title);
}

function entryText({ style }: ReadDocstring, name: string, type: string): string {
  if (style === 'sphinx') return `:type ${name}: ${type}`;
  return style === 'numpy' ? `${name} : ${type}` : `${name} (${type})`;
}

function typing({ style }: ReadDocstring, { name }: DocEntry, type: string): (line: string) => string {
  return (line) => {
    const end = line.indexOf(name) + name.length;
    return line.slice(0, end) + (style === 'numpy' ? ` : ${type}` : ` (${type})`) + line.slice(end);
  };
}

function newSection({ style }: ReadDocstring, title: SectionTitle, added: readonly string[]) {
  if (style === 'sphinx' && title !== 'Examples') return { heading: [], body: [...added] };
  if (style !== 'numpy') return { heading: [`${title}:`], body: added.map((line) => `    ${line}`) };
  const named = title === 'Args' ? 'Parameters' : title;
  return { heading: [named, '-'.repeat(named.length)], body: [...added] };
}

function bare(name: string): string {
  return name.replace(/^\*+/, '');
}
