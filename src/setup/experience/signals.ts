import type { Situation, UnitSignals } from '../../contract';
import { keyLines } from '../error-signature';

/** Characters of an output that patterns are tried on; the reason is at its end far more often than at its start. */
const HEAD = 4_000;
const TAIL = 16_000;

/** The two texts that signals are looked for in: a hit on the lines that say why counts more than one anywhere. */
export interface Evidence {
  readonly key: string;
  readonly whole: string;
}

export function evidenceOf({ error }: Pick<Situation, 'error'>): Evidence {
  const whole = error.length <= HEAD + TAIL ? error : `${error.slice(0, HEAD)}\n${error.slice(-TAIL)}`;
  return { key: keyLines(error).join('\n'), whole };
}

/** What one signal says about a situation, 0..1, and the words for it. */
export interface SignalHit {
  readonly matched: string;
  readonly strength: number;
}

/** Characters of literal text from which a pattern is no chance hit. */
const LONG = 20;

export type PatternHits = Readonly<Record<string, 'key' | 'whole'>>;

/**
 * Hits of a unit's signals. Patterns were tried elsewhere (under a time bound) and come as `hits`. A long pattern is
 * evidence, a bare word like `tox` or `ImportError` is a hint: strength grows with the literal text that had to be there.
 */
export function signalHits(signals: UnitSignals, evidence: Evidence, hits: PatternHits): SignalHit[] {
  const patterns = signals.regex.flatMap((pattern) => {
    const where = Object.hasOwn(hits, pattern) ? hits[pattern] : undefined;
    if (where === undefined) return [];
    const length = literalLength(pattern);
    const strength = 1 - 0.65 * Math.exp(-length / 35);
    if (where === 'key') return [{ matched: `regex:${pattern}`, strength }];
    // A pattern over several lines is never in one; what is long enough is no chance hit in the rest of the log either.
    return length >= LONG
      ? [{ matched: `regex:${pattern}`, strength: strength * 0.9 }]
      : [{ matched: `regex-elsewhere:${pattern}`, strength: strength * 0.6 }];
  });
  return [...patterns, ...keywordHits(signals.keywords, evidence)];
}

/** A word of five letters is in every log; several together, or one of twenty, are not. */
function keywordHits(keywords: readonly string[], evidence: Evidence): SignalHit[] {
  const key = evidence.key.toLowerCase();
  const whole = evidence.whole.toLowerCase();
  const inKey = keywords.filter((word) => contains(key, word));
  const elsewhere = keywords.filter((word) => !inKey.includes(word) && contains(whole, word));
  const weight = (words: readonly string[]) => words.reduce((sum, word) => sum + Math.min(1, word.length / 24), 0);
  const strength = Math.min(0.8, 0.2 + 0.3 * weight(inKey) + 0.05 * weight(elsewhere));
  return [...inKey, ...elsewhere].map((word) => ({ matched: `keyword:${word}`, strength }));
}

/** Whether a text in lower case has the word, and not as a part of a longer one. */
function contains(text: string, word: string): boolean {
  const wanted = word.toLowerCase();
  for (let from = text.indexOf(wanted); from !== -1; from = text.indexOf(wanted, from + 1)) {
    if (!isWord(text[from - 1], wanted[0]!) && !isWord(text[from + wanted.length], wanted.at(-1)!)) return true;
  }
  return false;
}

/** Whether the character beside a hit goes on with its word. */
function isWord(beside: string | undefined, edge: string): boolean {
  return beside !== undefined && /\w/.test(beside) && /\w/.test(edge);
}

/** Characters of a pattern that stand for themselves. */
export function literalText(pattern: string): string {
  return pattern
    .replace(/\\[dDwWsSbB]/g, ' ')
    .replace(/\[(?:\\.|[^\]\\]){0,400}\](?:[*+?]|\{\d*,?\d*\})?/g, ' ')
    .replace(/\(\?(?:[:=!]|<[=!])/g, '(')
    .replace(/(?<!\\)\{\d+(?:,\d*)?\}\??/g, '+')
    .replace(/\.[*+?]?\??/g, (dot) => (dot === '.' ? '.' : ' '))
    .replace(/\\(.)/g, '$1')
    .replace(/[()^$|*+?{}]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Characters that have to be there: of alternatives, in a group or not, the shortest. */
function literalLength(pattern: string): number {
  const group = /(?<!\\)\((?:\?(?:[:=!]|<[=!]|<\w+>))?((?:\\.|[^()\\])*)\)(\?|\*|\{0,?\d*\})?/;
  let rest = pattern.replace(/\[(?:\\.|[^\]\\]){0,400}\]/g, '.*');
  for (let found = group.exec(rest); found; found = group.exec(rest)) {
    // What may be missing counts nothing.
    const kept = found[2] === undefined ? shortest(found[1] ?? '') : '';
    rest = rest.slice(0, found.index) + kept + rest.slice(found.index + found[0].length);
  }
  return literalText(shortest(rest)).length;
}

function shortest(alternatives: string): string {
  const branches = alternatives.split(/(?<!\\)\|/);
  return branches.reduce((best, each) => (literalText(each).length < literalText(best).length ? each : best));
}
