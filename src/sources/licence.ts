import type { SourceSpec } from '../contract';
import { recogniseLicence } from './licence-text';
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
    spdxOf(/^\s*license\s*=\s*["']?([^"'\n,]+)["']?,?\s*$/m.exec(configured)?.[1])
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
  const names = said.replaceAll(',', '').split(/\s+(and|or)\s+/i);
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
