import { AtomName } from '../../contract';

type Row = Record<string, unknown>;

const LONGEST = { advice: 2_000, keyword: 200, regex: 500, trigger: 500 } as const;
const MOST = { advice: 5, keywords: 40, regex: 20, triggers: 20, atoms: 20 } as const;

/**
 * A drifted row as close to a unit as it can be brought, with what was done to it. Nothing is dropped: what does not fit
 * moves to a field of its own beside (`advice_more`, `atoms_unknown`, `regex_unusable`), which export puts back.
 */
export function repaired(row: Row, created: string): { row: Row; repairs: string[] } {
  const repairs: string[] = [];
  const note = (what: string) => void repairs.push(what);
  const { advice_nl: inside, atoms: atomsInside, ...signals } = object(row.signals);
  if (inside !== undefined || atomsInside !== undefined) note('advice and atoms were inside of signals');
  const advice = splitAdvice(strings(row.advice_nl ?? inside ?? row.advice), note);
  const { known, unknown } = splitAtoms(list(row.atoms ?? atomsInside), note);
  const { usable, unusable } = splitPatterns(strings(signals.regex), note);
  const keywords = fitting(strings(signals.keywords), LONGEST.keyword, MOST.keywords, 'keywords', note);
  const triggers = fitting(strings(signals.situation_triggers), LONGEST.trigger, MOST.triggers, 'triggers', note);
  return {
    row: {
      ...row,
      signals: {
        ...signals,
        keywords,
        regex: usable,
        situation_triggers: triggers,
        applicability: applicability(signals, note),
      },
      advice_nl: advice.kept,
      ...(advice.more.length > 0 ? { advice_more: advice.more } : {}),
      atoms: known,
      ...(unknown.length > 0 ? { atoms_unknown: unknown } : {}),
      ...(unusable.length > 0 ? { regex_unusable: unusable } : {}),
      telemetry: telemetry(object(row.telemetry), note),
      provenance: { created: typeof row.created_at === 'string' ? row.created_at : created, ...object(row.provenance) },
    },
    repairs,
  };
}

/** The peer lists versions of Python where ours names runtimes. Its own field stays, so that export gives it back. */
function applicability(signals: Row, note: (what: string) => void): Row {
  const given = object(signals.applicability);
  const versions = strings(given.python).map((version) => `python${version.replace(/^python\s*/i, '')}`);
  if (typeof given.lang !== 'string') note('no language');
  return {
    ...given,
    lang: typeof given.lang === 'string' ? given.lang : '',
    os: strings(given.os),
    tools: strings(given.tools),
    runtime: [...new Set([...strings(given.runtime), ...versions])],
  };
}

function splitAdvice(items: readonly string[], note: (what: string) => void): { kept: string[]; more: string[] } {
  const pieces = items
    .map((item) => item.trim())
    .filter(Boolean)
    .flatMap((item) => (item.length <= LONGEST.advice ? [item] : inPieces(item, LONGEST.advice)));
  if (pieces.length > MOST.advice) note(`${pieces.length} pieces of advice, the first ${MOST.advice} are used`);
  return { kept: pieces.slice(0, MOST.advice), more: pieces.slice(MOST.advice) };
}

function inPieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

function splitAtoms(items: readonly unknown[], note: (what: string) => void): { known: unknown[]; unknown: unknown[] } {
  const known: unknown[] = [];
  const unknown: unknown[] = [];
  for (const item of items) {
    const { name, args } = object(item);
    const fits = AtomName.safeParse(name).success && known.length < MOST.atoms;
    if (fits) known.push({ ...object(item), args: object(args) });
    else unknown.push(item);
  }
  if (unknown.length > 0) note(`${unknown.length} atoms that are none of ours: ${names(unknown)}`);
  return { known, unknown };
}

function names(items: readonly unknown[]): string {
  return [...new Set(items.map((item) => String(object(item).name ?? '?')))].join(', ');
}

function splitPatterns(patterns: readonly string[], note: (what: string) => void) {
  const usable: string[] = [];
  const unusable: string[] = [];
  for (const pattern of patterns) {
    const fits = pattern !== '' && pattern.length <= LONGEST.regex && compiles(pattern) && usable.length < MOST.regex;
    (fits ? usable : unusable).push(pattern);
  }
  if (unusable.length > 0) note(`${unusable.length} patterns that cannot be used`);
  return { usable, unusable };
}

function fitting(
  words: readonly string[],
  longest: number,
  most: number,
  what: string,
  note: (what: string) => void,
): string[] {
  const fits = words.map((word) => word.trim()).filter(Boolean);
  const kept = fits.map((word) => word.slice(0, longest)).slice(0, most);
  if (kept.length < fits.length || fits.some((word) => word.length > longest)) note(`too many or too long ${what}`);
  return kept;
}

function telemetry(given: Row, note: (what: string) => void): Row {
  const counts = Object.fromEntries(
    (['hits', 'successes', 'failures'] as const).map((name) => {
      const value = Number(given[name] ?? 0);
      const whole = Number.isFinite(value) && value >= 0 ? Math.floor(value) : 0;
      if (given[name] !== undefined && whole !== given[name]) note(`telemetry.${name} was no count`);
      return [name, whole];
    }),
  );
  return { ...given, ...counts };
}

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'im');
    return true;
  } catch {
    return false;
  }
}

function object(value: unknown): Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

function strings(value: unknown): string[] {
  return list(value).flatMap((item) => (typeof item === 'string' || typeof item === 'number' ? [String(item)] : []));
}
