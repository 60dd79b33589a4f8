import type { ExperienceDraft, ExperienceUnit, Situation } from '../../contract';
import { errorSignatures } from '../error-signature';
import { literalText } from './signals';

/** Part of a vector's name in the store: another way of counting needs another name. */
export const NGRAM_EMBEDDING = 'builtin:ngram-v1';
const DIMENSIONS = 512;

/**
 * The built-in embedding: hashed words, pairs of words and four-letter pieces of words, as a unit vector of 512 numbers.
 * Deterministic, and it knows spelling, not meaning: texts that share rare words and names lie close.
 */
export function embedNgrams(text: string): number[] {
  const counts = new Map<string, number>();
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+(?:[_.+-][\p{L}\p{N}]+)*/gu) ?? [];
  const content = words.filter((word) => !STOP.has(word));
  for (const [at, word] of content.entries()) {
    count(counts, `w:${word}`, 1);
    if (at > 0) count(counts, `b:${content[at - 1]} ${word}`, 0.4);
    // Pieces make `psycopg2-binary` a neighbour of `psycopg2`.
    const marked = `^${word}$`;
    for (let from = 0; from + 4 <= marked.length; from++) count(counts, `c:${marked.slice(from, from + 4)}`, 0.25);
  }
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (const [gram, times] of counts) {
    const hash = fnv1a(gram);
    const at = hash % DIMENSIONS;
    // What is said ten times is not ten times as important.
    vector[at] = vector[at]! + (hash & 0x4000_0000 ? -1 : 1) * Math.sqrt(times);
  }
  return unit(vector);
}

/** Scaled to length 1; a vector of zeros becomes the first axis, so that every text has a direction. */
function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  if (length > 0) return vector.map((value) => value / length);
  return vector.map((_, at) => (at === 0 ? 1 : 0));
}

export function cosine(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

/** The text that stands for a unit: how one recognises its situation, then what it says. */
export function unitText({
  signals,
  advice_nl,
}: Pick<ExperienceUnit | ExperienceDraft, 'signals' | 'advice_nl'>): string {
  return [
    signals.keywords.join(' '),
    ...signals.regex.map(literalText),
    ...signals.situation_triggers,
    ...advice_nl.map((advice) => advice.slice(0, 300)),
  ]
    .filter(Boolean)
    .join('\n');
}

/** The text that stands for a situation. The rest of a log would only drown the lines that say why. */
export function situationText({ error, command, summary }: Situation): string {
  return [...errorSignatures(error), command ?? '', summary].filter(Boolean).join('\n').slice(0, 4_000);
}

const STOP = new Set(
  'a an and are as at be by for from has have if in into is it its not of on or that the then this to was when which with you your'.split(
    ' ',
  ),
);

function count(counts: Map<string, number>, gram: string, weight: number): void {
  counts.set(gram, (counts.get(gram) ?? 0) + weight);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}
