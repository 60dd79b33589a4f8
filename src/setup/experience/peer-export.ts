import { type ExperienceUnit, UnitProvenance } from '../../contract';
import { wholeAdvice } from './peer-advice';
import { list, type Row } from './peer-repairs';
import { pythonRuntimes } from './peer-row';

/** Fields that import made of what did not fit into a list, and that go back into it. */
const BESIDE = {
  keywords: ['keywords_more', 'keywords_unreadable'],
  regex: ['regex_unusable', 'regex_unreadable'],
  situation_triggers: ['situation_triggers_more', 'situation_triggers_unreadable'],
  advice: ['advice_more', 'advice_long', 'advice_unreadable'],
  atoms: ['atoms_more', 'atoms_unknown'],
} as const;

/**
 * The peer's rows: its five fields, with what import had set aside put back, and every field that is unknown to us. What we
 * alone keep (where a unit was learned, its status and version) is not for others.
 */
export function exportPeer(units: readonly ExperienceUnit[]): string {
  return units.map((unit) => `${JSON.stringify(rowOf(unit))}\n`).join('');
}

function rowOf(unit: ExperienceUnit): Row {
  const { id, signals, advice_nl, atoms, telemetry, provenance, status: _, version: __, ...more } = unit;
  const rest: Row = more;
  const back = (field: keyof typeof BESIDE) => BESIDE[field].flatMap((name) => list(rest[name]));
  const advice = wholeAdvice([...advice_nl, ...list(rest.advice_more).map(String)], list(rest.advice_long).map(String));
  const named = new Set<string>(Object.values(BESIDE).flat());
  const unknown = (row: Row, known: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !known(name)));
  const origin = unknown(provenance, (name) => name in UnitProvenance.shape);
  return {
    id,
    signals: {
      ...signals,
      keywords: [...signals.keywords, ...back('keywords')],
      regex: [...signals.regex, ...back('regex')],
      situation_triggers: [...signals.situation_triggers, ...back('situation_triggers')],
      applicability: applicabilityOf(unit),
    },
    advice_nl: [...advice, ...list(rest.advice_unreadable)],
    atoms: [...atoms, ...back('atoms')],
    telemetry,
    ...(Object.keys(origin).length > 0 ? { provenance: origin } : {}),
    ...unknown(rest, (name) => named.has(name)),
  };
}

/** Versions of Python have a field of their own there, which stays as it came while it says the same. */
function applicabilityOf({ signals }: ExperienceUnit): Row {
  const { runtime, ...applicability } = signals.applicability;
  const came = pythonRuntimes(applicability.python);
  const same = came.every((each) => runtime.includes(each));
  const others = same ? runtime.filter((each) => !came.includes(each)) : runtime;
  const versions = others.flatMap((each) => /^python(.+)$/.exec(each)?.[1] ?? []);
  const kept = same ? list(applicability.python) : [];
  const foreign = others.filter((each) => !/^python.+$/.test(each));
  return {
    ...applicability,
    python: same && versions.length === 0 ? (applicability.python ?? []) : [...kept, ...versions],
    ...(foreign.length > 0 ? { runtime: foreign } : {}),
  };
}
