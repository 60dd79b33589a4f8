import { AtomName, UnitStatus } from '../../contract';
import { usableAdvice } from './peer-advice';
import { isObject, list, object, Repairs, type Row } from './peer-repairs';

/** Lists of signals: the longest text and the most texts that a unit may hold. */
const LISTS = {
  keywords: { longest: 200, most: 40 },
  situation_triggers: { longest: 500, most: 20 },
} as const;
const LONGEST_PATTERN = 500;
const MOST_PATTERNS = 20;

/**
 * A drifted row as close to a unit as it can be brought, with what was done to it. Nothing is dropped: what does not fit
 * moves to a field of its own beside (`keywords_more`, `atoms_unknown`, `telemetry_unreadable`), which export puts back
 * where it was a part of a list.
 */
export function repaired(row: Row, created: string): { row: Row; repairs: string[] } {
  const repairs = new Repairs(row);
  const { advice_nl: inside, atoms: atomsInside, ...signals } = repairs.object(row.signals, 'signals');
  if (inside !== undefined || atomsInside !== undefined) repairs.note('advice and atoms were inside of signals');
  const given = [...alone(row.advice_nl, 'advice_nl', repairs), ...list(inside)];
  const advice = repairs.texts(given.length > 0 ? given : list(row.advice), 'advice');
  repairs.keepItems(
    'advice_unreadable',
    advice.unreadable,
    `${advice.unreadable.length} pieces of advice are no texts`,
  );
  const applicability = repairs.object(signals.applicability, 'applicability');
  const mended: Row = {
    ...row,
    signals: {
      ...signals,
      keywords: words('keywords', signals.keywords, repairs),
      regex: patterns(signals.regex, repairs),
      situation_triggers: words('situation_triggers', signals.situation_triggers, repairs),
      applicability: where(applicability, repairs),
    },
    advice_nl: usableAdvice(advice.texts, repairs),
    atoms: readableAtoms(atomsInside === undefined ? row.atoms : [...list(row.atoms), ...list(atomsInside)], repairs),
    telemetry: counts(repairs.object(row.telemetry, 'telemetry'), repairs),
    provenance: {
      created: typeof row.created_at === 'string' ? row.created_at : created,
      ...repairs.object(row.provenance, 'provenance'),
    },
  };
  dropUnless(mended, 'status', UnitStatus.safeParse(row.status).success, repairs);
  dropUnless(mended, 'version', Number.isSafeInteger(row.version) && Number(row.version) > 0, repairs);
  return { row: { ...mended, ...repairs.beside }, repairs: repairs.notes };
}

/** Runtimes that the peer's versions of Python name. */
export function pythonRuntimes(python: unknown): string[] {
  return list(python).flatMap((version) => {
    const text = typeof version === 'string' || typeof version === 'number' ? String(version).trim() : '';
    return text === '' ? [] : [`python${text.replace(/^python\s*/i, '')}`];
  });
}

/** The peer lists versions of Python where ours names runtimes. Its own field stays, so that export gives it back. */
function where(given: Row, repairs: Repairs): Row {
  const unreadable: Row = {};
  const texts = (name: string) => {
    const read = repairs.texts(given[name], `applicability.${name}`);
    if (read.unreadable.length > 0) unreadable[name] = read.unreadable;
    return read.texts;
  };
  const hasLanguage = typeof given.lang === 'string';
  if (!hasLanguage) repairs.note('no language');
  if (!hasLanguage && given.lang !== undefined && given.lang !== null) unreadable.lang = given.lang;
  const [os, tools, runtime] = [texts('os'), texts('tools'), texts('runtime')];
  if (Object.keys(unreadable).length > 0)
    repairs.keepValue('applicability_unreadable', unreadable, 'parts of applicability were no texts');
  return {
    ...given,
    lang: hasLanguage ? given.lang : '',
    os,
    tools,
    runtime: [...new Set([...runtime, ...pythonRuntimes(given.python)])],
  };
}

function words(name: keyof typeof LISTS, value: unknown, repairs: Repairs): string[] {
  const { longest, most } = LISTS[name];
  const { texts, unreadable } = repairs.texts(value, name);
  const used = texts.filter((text) => text.length <= longest).slice(0, most);
  let left = used.length;
  const more = texts.filter((text) => text.length > longest || --left < 0);
  repairs.keepItems(`${name}_more`, more, `${more.length} of ${texts.length} ${name} are too many or too long`);
  repairs.keepItems(`${name}_unreadable`, unreadable, `${unreadable.length} ${name} are no texts`);
  return used;
}

function patterns(value: unknown, repairs: Repairs): string[] {
  const { texts, unreadable } = repairs.texts(value, 'regex', { trim: false });
  const usable: string[] = [];
  const unusable: string[] = [];
  for (const pattern of texts) {
    const fits = pattern.length <= LONGEST_PATTERN && compiles(pattern) && usable.length < MOST_PATTERNS;
    (fits ? usable : unusable).push(pattern);
  }
  repairs.keepItems('regex_unusable', unusable, `${unusable.length} patterns that cannot be used`);
  repairs.keepItems('regex_unreadable', unreadable, `${unreadable.length} patterns that are no texts`);
  return usable;
}

function counts(given: Row, repairs: Repairs): Row {
  const wrong: Row = {};
  const whole = (['hits', 'successes', 'failures'] as const).map((name) => {
    const value = Number(given[name] ?? 0);
    const count = Number.isFinite(value) && value >= 0 ? Math.floor(value) : 0;
    if (given[name] !== undefined && given[name] !== null && count !== given[name]) wrong[name] = given[name];
    return [name, count] as const;
  });
  if (Object.keys(wrong).length > 0)
    repairs.keepValue(
      'telemetry_unreadable',
      wrong,
      `telemetry.${Object.keys(wrong).join(', telemetry.')} was no count`,
    );
  return { ...given, ...Object.fromEntries(whole) };
}

/** A list, or what stands alone in its place. */
function alone(value: unknown, name: string, repairs: Repairs): unknown[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) repairs.note(`${name} was no list`);
  return list(value);
}

function dropUnless(row: Row, name: string, fits: boolean, repairs: Repairs): void {
  const value = row[name];
  if (fits || value === undefined) return;
  delete row[name];
  if (value !== null) repairs.keepValue(`${name}_unreadable`, value, `${name} was none of ours`);
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'im');
    return true;
  } catch {
    return false;
  }
}

const MOST = 20;

/** Atoms with named arguments; those that are none of ours or that nobody can read are put aside whole. */
function readableAtoms(value: unknown, repairs: Repairs): Row[] {
  if (value !== undefined && value !== null && !Array.isArray(value)) repairs.note('atoms was no list');
  const known: Row[] = [];
  const unknown: unknown[] = [];
  const unreadable: unknown[] = [];
  for (const item of list(value)) {
    const name = AtomName.safeParse(object(item).name);
    if (!name.success) unknown.push(item);
    else {
      const args = argsOf(name.data, object(item), repairs);
      if (args === undefined) unreadable.push(item);
      else known.push({ ...object(item), args });
    }
  }
  repairs.keepItems('atoms_unknown', unknown, `${unknown.length} atoms that are none of ours`);
  repairs.keepItems('atoms_unknown', unreadable, `${unreadable.length} atoms whose args cannot be read`);
  const more = known.slice(MOST);
  repairs.keepItems('atoms_more', more, `${more.length} of ${known.length} atoms are not used`);
  return known.slice(0, MOST);
}

function argsOf(atom: AtomName, { name: _, args, ...others }: Row, repairs: Repairs): Row | undefined {
  if (isObject(args)) return args;
  if (args === undefined || args === null) {
    repairs.note(`${atom} had no args${Object.keys(others).length > 0 ? ', its other fields are taken' : ''}`);
    return others;
  }
  const named = typeof args === 'string' || Array.isArray(args) ? NAMED[atom]?.(args) : undefined;
  if (named) repairs.note(`args of ${atom} had no names, taken as ${Object.keys(named).join(' and ')}`);
  return named;
}

type Bare = string | readonly unknown[];
const packages = (args: Bare) => ({ packages: args });
const command = (args: Bare) => (typeof args === 'string' ? { cmd: args } : { commands: args });

/** What arguments without names are most likely meant to be. */
const NAMED: Readonly<Partial<Record<AtomName, (args: Bare) => Row | undefined>>> = {
  pip_install: packages,
  pip_pin: packages,
  or_upgrade_pkg: packages,
  apt_install: packages,
  conda_install: packages,
  npm_install: packages,
  shell: command,
  adjust_command: command,
  set_pytest_flag: (args) => ({ flags: args }),
  set_umask: (args) => (typeof args === 'string' ? { value: args } : undefined),
  set_env: (args) => {
    const [, key, value] = (typeof args === 'string' && /^([A-Za-z_]\w*)=(.*)$/s.exec(args)) || [];
    return key === undefined ? undefined : { key, value };
  },
};
