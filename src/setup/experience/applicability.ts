import type { Applicability, RepositoryFacts } from '../../contract';

const LANGUAGES: Readonly<Record<string, string>> = {
  py: 'python',
  python3: 'python',
  javascript: 'node',
  js: 'node',
  typescript: 'node',
  ts: 'node',
  nodejs: 'node',
  'node.js': 'node',
  golang: 'go',
  'c++': 'c',
  cpp: 'c',
  'c/c++': 'c',
  kotlin: 'java',
};
const EVERYWHERE = new Set(['', 'any', 'all', '*', 'linux', 'unix', 'posix']);
const FAMILY: Readonly<Record<string, string>> = {
  ubuntu: 'debian',
  debian: 'debian',
  alpine: 'alpine',
  fedora: 'fedora',
};

function languageOf(name: string): string {
  const plain = name.trim().toLowerCase();
  return LANGUAGES[plain] ?? plain;
}

/**
 * Whether a unit may apply to a repository. A language or system that it does not name excludes it, and so does another
 * major version of the runtime; a minor one does not, because units say where they were seen and not where they end.
 */
export function applies(unit: Applicability, facts: RepositoryFacts): boolean {
  return languageFits(unit, facts) && systemFits(unit, facts) && runtimeFit(unit, facts) !== 'other';
}

/** What the project's own version is to the unit's: the same, another minor one, another major one. */
export function runtimeFit(unit: Applicability, facts: RepositoryFacts): 'same' | 'near' | 'other' {
  const here = facts.runtime.map(runtimeOf);
  const there = unit.runtime.map(runtimeOf);
  const comparable = there.filter(({ language }) => here.some((own) => own.language === language));
  if (comparable.length === 0) return 'same';
  const fits = (depth: number) =>
    comparable.some(({ language, version }) =>
      here.some(
        (own) =>
          own.language === language &&
          version.slice(0, depth).every((part, at) => part === '*' || part === own.version[at]),
      ),
    );
  return fits(2) ? 'same' : fits(1) ? 'near' : 'other';
}

function languageFits({ lang }: Applicability, facts: RepositoryFacts): boolean {
  const wanted = languageOf(lang);
  if (EVERYWHERE.has(wanted)) return true;
  const here = [facts.lang, ...facts.runtime.map((each) => runtimeOf(each).language)].map(languageOf).filter(Boolean);
  return here.length === 0 || here.includes(wanted);
}

function systemFits({ os }: Applicability, facts: RepositoryFacts): boolean {
  if (os.length === 0 || os.some((each) => EVERYWHERE.has(each.trim().toLowerCase()))) return true;
  const here = systemOf(facts.os);
  return EVERYWHERE.has(here) || os.some((each) => systemOf(each) === here);
}

function systemOf(text: string): string {
  const word = /^[a-z]+/.exec(text.trim().toLowerCase())?.[0] ?? '';
  return FAMILY[word] ?? word;
}

function runtimeOf(text: string): { language: string; version: string[] } {
  const [, name = '', version = ''] = /^([a-z.+/]*?)[ =@-]?v?(\d[\w.*]*)?$/i.exec(text.trim()) ?? [];
  return {
    language: languageOf(name),
    version: version
      .split('.')
      .filter(Boolean)
      .map((part) => (part === 'x' ? '*' : part)),
  };
}
