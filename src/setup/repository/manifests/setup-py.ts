import type { Dependency, ManifestFacts } from '../facts';
import { dependenciesOf, isTestGroup } from '../requirement';
import { consoleScript } from './python';

/**
 * What literals in a `setup.py` say. It is a program, so what it computes stays unknown: better to know nothing of a
 * version than to believe a wrong one.
 */
export function setupPyFacts(text: string): ManifestFacts {
  const source = text.replace(/^\s*#.*$/gm, '');
  const extras = extrasOf(source);
  const python = literal(source, 'python_requires');
  const dependencies: Dependency[] = [
    ...dependenciesOf(listAt(source, 'install_requires'), 'core', FILE),
    ...dependenciesOf(listAt(source, 'setup_requires'), 'build', FILE),
    ...dependenciesOf(listAt(source, 'tests_require'), 'test', FILE),
    ...Object.entries(extras).flatMap(([extra, lines]) =>
      dependenciesOf(lines, isTestGroup(extra) ? 'test' : 'extra', FILE, extra),
    ),
  ];
  return {
    name: literal(source, 'name'),
    version: literal(source, 'version'),
    vcsVersion:
      /\b(use_scm_version|setup_requires\s*=\s*\[[^\]]*(setuptools[-_]scm|pbr)|pbr\s*=\s*True|versioneer\.get_version)/.test(
        source,
      ),
    runtime: python ? { python } : {},
    dependencies,
    modules: [...listAt(source, 'packages'), ...listAt(source, 'py_modules')].filter((name) =>
      /^[A-Za-z_]\w*$/.test(name),
    ),
    groups: Object.keys(extras).map((name) => ({ name, kind: 'extra' as const, test: isTestGroup(name) })),
    entryPoints: listAt(source, '[\'"]console_scripts[\'"]').flatMap(consoleScript),
  };
}

const FILE = 'setup.py';
const STRING = /(?:[rub]|\b)?(?:'''([\s\S]*?)'''|"""([\s\S]*?)"""|'([^'\n]*)'|"([^"\n]*)")/g;

function literal(source: string, key: string): string | null {
  // The last one, because what `setup()` is called with comes after helpers with arguments of the same name.
  const found = [...source.matchAll(new RegExp(`\\b${key}\\s*=\\s*(?:'([^'\\n]+)'|"([^"\\n]+)")\\s*(?=[,)\\n])`, 'g'))];
  const last = found.at(-1);
  return last?.[1] ?? last?.[2] ?? null;
}

/** Texts of the list after `key=` or `key:`; a name stands for the list that was assigned to it. */
function listAt(source: string, key: string, depth = 0): string[] {
  const at = new RegExp(`(?:\\b|(?=['"]))${key}\\s*[=:]\\s*`).exec(source);
  if (!at) return [];
  const rest = source.slice(at.index + at[0].length);
  if (/^[[(]/.test(rest)) return textsIn(bracketed(rest));
  const quoted = /^(?:"""|''')/.test(rest) ? [...rest.matchAll(STRING)][0] : undefined;
  if (quoted)
    return (quoted[1] ?? quoted[2] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  const variable = /^([A-Za-z_]\w*)\s*[,)\n]/.exec(rest)?.[1];
  return variable && depth < 2 && variable !== key ? listAt(source, variable, depth + 1) : [];
}

function extrasOf(source: string): Record<string, string[]> {
  const at = /\bextras_require\s*=\s*(\{|[A-Za-z_]\w*)/.exec(source);
  if (!at) return {};
  const start =
    at[1] === '{' ? at.index + at[0].length - 1 : (new RegExp(`\\b${at[1]}\\s*=\\s*\\{`).exec(source)?.index ?? -1);
  if (start < 0) return {};
  const body = bracketed(source.slice(source.indexOf('{', start)));
  const extras: Record<string, string[]> = {};
  for (const entry of body.matchAll(/['"]([\w.-]+)['"]\s*:\s*(?=[[(])/g)) {
    extras[entry[1]!] = textsIn(bracketed(body.slice(entry.index + entry[0].length)));
  }
  return extras;
}

function textsIn(body: string): string[] {
  return [...body.matchAll(STRING)].map(([, a, b, c, d]) => (a ?? b ?? c ?? d ?? '').trim()).filter(Boolean);
}

/** From an opening bracket to the one that closes it, quotes minded. */
function bracketed(text: string): string {
  const close: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };
  const open: string[] = [];
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (quote) {
      if (char === quote) quote = null;
    } else if (char === "'" || char === '"') quote = char;
    else if (close[char]) open.push(close[char]!);
    else if (char === open.at(-1)) {
      open.pop();
      if (open.length === 0) return text.slice(0, at + 1);
    }
  }
  return text;
}
