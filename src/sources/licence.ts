import type { SourceSpec } from '../contract';
import { spdxOf, spdxOfName } from './spdx';
import type { SourceTree } from './tree';

type Reader = (tree: SourceTree) => string | null;

/** The ecosystem's own metadata is asked first; a repository may hold that of several. */
const FIRST: Readonly<Partial<Record<SourceSpec['kind'], Reader>>> = {
  pypi: python,
  npm: node,
  crate: rust,
  'deb-src': debian,
};
const READERS: readonly Reader[] = [python, rust, node, debian];

/**
 * The licence of a tree as an SPDX expression: from what its metadata says, else from the licence's text; null where
 * neither tells. A `debian` folder speaks for the upstream sources it packages (`Files: *`).
 */
export function licenceOf(tree: SourceTree, kind: SourceSpec['kind']): string | null {
  const first = FIRST[kind];
  for (const reader of first ? [first, ...READERS.filter((each) => each !== first)] : READERS) {
    const found = reader(tree);
    if (found !== null) return found;
  }
  return fromTexts(tree);
}

function textIn(tree: SourceTree, path: string): string | undefined {
  const file = tree.get(path);
  return file?.link === undefined ? file?.bytes.subarray(0, 1 << 20).toString('utf8') : undefined;
}

function python(tree: SourceTree): string | null {
  const info = textIn(tree, 'PKG-INFO') ?? '';
  const header = (name: string) => new RegExp(`^${name}: (.+)$`, 'mi').exec(info.split(/\r?\n\r?\n/)[0]!)?.[1];
  const project = section(textIn(tree, 'pyproject.toml') ?? '', 'project');
  const configured = `${textIn(tree, 'setup.cfg') ?? ''}\n${textIn(tree, 'setup.py') ?? ''}`;
  return (
    spdxOf(header('License-Expression')) ??
    spdxOf(/^license\s*=\s*["']([^"']+)["']/m.exec(project)?.[1]) ??
    spdxOf(/^license\s*=\s*\{\s*text\s*=\s*["']([^"']+)["']/m.exec(project)?.[1]) ??
    fromClassifiers([info, project, configured].join('\n')) ??
    spdxOf(header('License')) ??
    spdxOf(/^[ \t]*license[ \t]*=\s*["']?([^\s"',][^"'\n,]*)(?=["',\n]|$)["']?,?[ \t\r]*$/m.exec(configured)?.[1])
  );
}

/** Trove classifiers. Those that name a family without a version (`BSD License`) tell nothing; several mean a choice. */
function fromClassifiers(text: string): string | null {
  const named = [...text.matchAll(/License :: (?:OSI Approved :: )?([^\n"',]+)/g)].map(([, name]) => name!.trim());
  const found = new Set(named.filter((name) => name !== 'OSI Approved').map(ofClassifier));
  return found.size === 0 || found.has(null) ? null : [...found].join(' OR ');
}

function ofClassifier(name: string): string | null {
  // Classifiers say 2.0 of no Apache licence, but there is no other one in use that they could mean.
  return name === 'Apache Software License' ? 'Apache-2.0' : spdxOfName(name);
}

function rust(tree: SourceTree): string | null {
  const about = section(textIn(tree, 'Cargo.toml') ?? '', 'package');
  return spdxOf(/^license\s*=\s*"([^"]+)"/m.exec(about)?.[1]);
}

function node(tree: SourceTree): string | null {
  const about = asJson(textIn(tree, 'package.json'));
  const nameOf = (value: unknown): string | undefined =>
    typeof value === 'string'
      ? value
      : typeof value === 'object' && value && 'type' in value
        ? String(value.type)
        : undefined;
  if (Array.isArray(about.licenses)) {
    const all = about.licenses.map((each) => spdxOf(nameOf(each)));
    return all.length > 0 && !all.includes(null) ? all.join(' OR ') : null;
  }
  const said = nameOf(about.license);
  return said && /^(unlicensed|see license in .*)$/i.test(said) ? null : spdxOf(said);
}

function asJson(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // A broken package.json says nothing about a licence.
    return {};
  }
}

/** The paragraph for `Files: *` of Debian's machine-readable copyright. */
function debian(tree: SourceTree): string | null {
  const paragraphs = (textIn(tree, 'debian/copyright') ?? '').split(/\n\s*\n/);
  const all = paragraphs.find((each) => /^Files:\s*\*\s*$/m.test(each));
  const said = all && /^License:[ \t]*(\S.*)$/m.exec(all)?.[1];
  if (!said) return null;
  const names = said.replaceAll(',', '').split(/(?<!\s)\s+(and|or)\s+/i);
  const parts = names.map((name, at) => (at % 2 === 1 ? name.toUpperCase() : spdxOf(name)));
  return parts.includes(null) ? null : parts.join(' ');
}

/** From `[name]` of a TOML file up to the next table. */
function section(toml: string, name: string): string {
  const [, after = ''] = toml.split(new RegExp(`^\\[${name}\\][ \\t]*$`, 'm'));
  return after.split(/^\[/m)[0]!;
}

/** The texts at the top of the tree. `LICENSE-MIT` beside `LICENSE-APACHE` is a choice; other pairs hold both. */
function fromTexts(tree: SourceTree): string | null {
  const files = [...tree.keys()].filter((path) => /^(licen[cs]e|copying|unlicense)([-._][^/]*)?$/i.test(path)).sort();
  const found = new Map<string, string>();
  for (const path of files) {
    const id = recogniseLicence(textIn(tree, path) ?? '');
    if (id && !found.has(id)) found.set(id, path);
  }
  // The LGPL's version 3 is a supplement to the GPL, whose text stands beside it.
  if (found.has('LGPL-3.0-only')) found.delete('GPL-3.0-only');
  if (found.size === 0) return null;
  const choice = [...found.values()].every((path) =>
    /^licen[cs]e[-.](mit|apache|bsd|unlicense|boost|gpl|mpl|isc|zlib)/i.test(path),
  );
  return [...found.keys()].join(choice ? ' OR ' : ' AND ');
}

/**
 * Phrases by which a licence's text is told apart from all others of the list, as lower case words with single blanks.
 * The first that fits counts: a text that quotes another one comes before that.
 */
const MARKS: readonly { readonly id: string; readonly has: readonly RegExp[]; readonly lacks?: RegExp }[] = [
  { id: 'AGPL-3.0-only', has: [/^.{0,200}gnu affero general public license version 3/] },
  { id: 'LGPL-3.0-only', has: [/^.{0,200}gnu lesser general public license version 3/] },
  { id: 'LGPL-2.1-only', has: [/^.{0,200}gnu lesser general public license version 2 1/] },
  { id: 'LGPL-2.0-only', has: [/^.{0,200}gnu library general public license version 2/] },
  { id: 'GPL-3.0-only', has: [/^.{0,200}gnu general public license version 3/] },
  { id: 'GPL-2.0-only', has: [/^.{0,200}gnu general public license version 2/] },
  { id: 'MPL-2.0', has: [/mozilla public license v(?:ersion)? 2 0/] },
  { id: 'Apache-2.0', has: [/apache license version 2 0/] },
  { id: 'Python-2.0', has: [/python software foundation license version 2/, /beopen python/] },
  { id: 'PSF-2.0', has: [/python software foundation license version 2/] },
  { id: 'Unlicense', has: [/free and unencumbered software released into the public domain/] },
  { id: 'CC0-1.0', has: [/cc0 1 0 universal/] },
  { id: 'BSL-1.0', has: [/boost software license version 1 0/] },
  { id: 'BSD-4-Clause', has: [/redistribution and use in source and binary forms/, /all advertising materials/] },
  {
    id: 'BSD-3-Clause',
    has: [
      /redistribution and use in source and binary forms/,
      /neither the names? |may not be used to endorse|nor the names? /,
    ],
  },
  { id: 'BSD-2-Clause', has: [/redistribution and use in source and binary forms/, /in binary form must reproduce/] },
  {
    id: 'ISC',
    has: [/permission to use copy modify and (?:or )?distribute this software/, /provided that the above copyright/],
  },
  { id: '0BSD', has: [/permission to use copy modify and (?:or )?distribute this software for any purpose/] },
  {
    id: 'MIT',
    has: [/permission is hereby granted free of charge to any person obtaining a copy/, /permission notice shall be/],
    lacks: /except as contained in this notice/,
  },
  { id: 'Zlib', has: [/provided as is without any express or implied warranty/, /altered source versions must be/] },
];

/** SPDX identifier of a licence's text, null where it is none that we know. GNU texts do not say "or later": -only. */
export function recogniseLicence(text: string): string | null {
  const words = text
    .slice(0, 60_000)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
  return MARKS.find(({ has, lacks }) => has.every((mark) => mark.test(words)) && !lacks?.test(words))?.id ?? null;
}
