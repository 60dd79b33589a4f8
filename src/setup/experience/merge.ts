import type { Atom, ExperienceDraft, ExperienceUnit } from '../../contract';
import { cosine, embedNgrams } from './embedding';

type Content = Pick<ExperienceUnit, 'signals' | 'advice_nl' | 'atoms'>;

/**
 * Whether two units tell the same cause and the same fix, without a model: a common pattern or much the same key words, and
 * the same actions; where one of them has no actions, much the same advice.
 */
export function sameCauseSameFix(a: Content, b: Content): { same: boolean; why: string } {
  const pattern = a.signals.regex.find((each) => b.signals.regex.includes(each));
  const keywords = overlap(lower(a.signals.keywords), lower(b.signals.keywords));
  if (pattern === undefined && keywords < 0.5) return { same: false, why: 'different causes' };
  const [actions, others] = [a.atoms.map(atomKey), b.atoms.map(atomKey)];
  const near = cosine(embedNgrams(a.advice_nl.join('\n')), embedNgrams(b.advice_nl.join('\n')));
  const same = actions.length > 0 && others.length > 0 ? overlap(actions, others) >= 0.5 : near >= 0.6;
  const cause = pattern === undefined ? 'the same key words' : `the pattern ${pattern}`;
  return { same, why: same ? `${cause} and the same fix` : `${cause}, but another fix` };
}

const MOST = { advice: 5, keywords: 40, regex: 20, situation_triggers: 20, atoms: 20 } as const;

/**
 * One unit of two that say the same: the older one's id, telemetry, status and atoms, everything that the newer one adds,
 * and the version it replaces. `advice` is a model's wording of both; without it the newer advice follows the older.
 */
export function mergeUnits(
  older: ExperienceUnit,
  newer: ExperienceDraft | ExperienceUnit,
  advice?: readonly string[],
): ExperienceUnit {
  const { applicability } = older.signals;
  const added = newer.signals.applicability;
  const version = older.version ?? 1;
  return {
    ...older,
    signals: {
      ...newer.signals,
      ...older.signals,
      keywords: union(older.signals.keywords, newer.signals.keywords, MOST.keywords),
      regex: union(older.signals.regex, newer.signals.regex, MOST.regex),
      situation_triggers: union(
        older.signals.situation_triggers,
        newer.signals.situation_triggers,
        MOST.situation_triggers,
      ),
      applicability: {
        ...added,
        ...applicability,
        lang: applicability.lang === added.lang ? applicability.lang : '',
        os: widened(applicability.os, added.os),
        runtime: widened(applicability.runtime, added.runtime),
        tools: union(applicability.tools, added.tools, 40),
      },
    },
    advice_nl: [...(advice ?? union(older.advice_nl, newer.advice_nl, MOST.advice))].slice(0, MOST.advice),
    atoms: unionBy(older.atoms, newer.atoms, atomKey).slice(0, MOST.atoms),
    provenance: { ...older.provenance, supersedes: `${older.id}@${version}` },
    version: version + 1,
  };
}

/** Whether a merge would leave what the older unit says, and where it applies, as it is. Tools restrict nothing. */
export function addsNothing(older: ExperienceUnit, newer: ExperienceDraft | ExperienceUnit): boolean {
  const said = ({ signals, advice_nl, atoms }: Content) => {
    const { keywords, regex, situation_triggers, applicability } = signals;
    const { lang, os, runtime } = applicability;
    return JSON.stringify([keywords, regex, situation_triggers, advice_nl, atoms.map(atomKey), lang, os, runtime]);
  };
  return said(older) === said(mergeUnits(older, newer));
}

function atomKey({ name, args }: Atom): string {
  return `${name} ${JSON.stringify(sorted(args))}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

/** An empty list restricts nothing, so it stays empty. */
function widened(a: readonly string[], b: readonly string[]): string[] {
  return a.length === 0 || b.length === 0 ? [] : union(a, b, 40);
}

function union(a: readonly string[], b: readonly string[], most: number): string[] {
  return unionBy(a, b, (text) => text.trim().toLowerCase()).slice(0, most);
}

function unionBy<T>(a: readonly T[], b: readonly T[], key: (item: T) => string): T[] {
  const known = new Set(a.map(key));
  return [...a, ...b.filter((item) => !known.has(key(item)) && known.add(key(item)))];
}

function overlap(a: readonly string[], b: readonly string[]): number {
  const all = new Set([...a, ...b]);
  return all.size === 0 ? 0 : a.filter((each) => b.includes(each)).length / all.size;
}

function lower(words: readonly string[]): string[] {
  return [...new Set(words.map((word) => word.toLowerCase()))];
}
