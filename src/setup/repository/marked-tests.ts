import { readCfg } from './cfg';
import type { Survey } from './survey';
import { readToml, stringsOf, type Table, tablesOf } from './tables';

/** Markers of tests that need something beside the project. */
const BESIDE = /^(integration|functional|e2e|end_to_end|services?|external|db|database)(_?tests?)?$/;

/**
 * The marker expression under which pytest also runs the tests that need one of `services`, where the project's own options
 * leave them out (`addopts = -m unit`); null where these options leave nothing out for that reason. Projects do so because
 * not everybody has the service: whoever asks for it means its tests.
 */
export function markedTests({ texts }: Survey, services: readonly string[]): string | null {
  if (services.length === 0) return null;
  const { addopts, markers } = pytestOptions(texts);
  const chosen = /(?:^|\s)-m[ =]?(?:'([^']*)'|"([^"]*)"|(\S+))/.exec(addopts)?.slice(1).find(Boolean);
  if (chosen === undefined) return null;
  const needing = markers.filter((name) => BESIDE.test(name) || services.includes(name));
  const terms = chosen.split(/(?<!\s)\s+and\s+/);
  const kept = terms.filter((term) => !needing.some((name) => term.trim() === `not ${name}`));
  if (kept.length < terms.length) return kept.join(' and ');
  // What only takes away has not taken these.
  if (terms.every((term) => term.trim().startsWith('not '))) return null;
  const missing = needing.filter((name) => !new RegExp(`\\b${name}\\b`).test(chosen));
  if (missing.length === 0) return null;
  return [/\s(and|not)\s/.test(chosen) ? `(${chosen})` : chosen, ...missing].join(' or ');
}

interface PytestOptions {
  readonly addopts: string;
  /** Names alone, without what they say they are for. */
  readonly markers: readonly string[];
}

/** Of the file that pytest itself would read. */
function pytestOptions(texts: Survey['texts']): PytestOptions {
  const cfg = (path: string, section: string) => readCfg(texts[path] ?? '')[section];
  const toml = tablesOf(tablesOf(readToml(texts['pyproject.toml']).tool).pytest).ini_options;
  const found: Table =
    cfg('pytest.ini', 'pytest') ??
    cfg('.pytest.ini', 'pytest') ??
    (toml ? tablesOf(toml) : undefined) ??
    cfg('tox.ini', 'pytest') ??
    cfg('setup.cfg', 'tool:pytest') ??
    {};
  const lines = (value: unknown) => (typeof value === 'string' ? value.split('\n') : stringsOf(value));
  return {
    addopts: Array.isArray(found.addopts)
      ? stringsOf(found.addopts).map(quoted).join(' ')
      : lines(found.addopts).join(' '),
    markers: lines(found.markers)
      .map((line) => line.split(/[:(]/)[0]!.trim())
      .filter(Boolean),
  };
}

/** A word of a list is one whatever blanks it has. */
function quoted(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word;
}
