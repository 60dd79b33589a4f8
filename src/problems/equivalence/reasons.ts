import type { HarnessAttempt } from '../../contract';

interface Tried {
  readonly attempt: HarnessAttempt;
  /** Why its harness is not admitted. */
  readonly reasons: readonly string[];
}

/** Why no harness of a function was admitted: where several were tried, each reason with whose harness it is about. */
export function reasonsByAuthor(tried: readonly Tried[]): string[] {
  if (tried.length < 2) return tried.flatMap(({ reasons }) => reasons);
  const authors = new Map<string, string[]>();
  for (const { attempt, reasons } of tried)
    for (const reason of reasons) authors.set(reason, [...(authors.get(reason) ?? []), attemptLabel(attempt)]);
  return [...authors].map(([reason, who]) => `${[...new Set(who)].join(' and ')}: ${reason}`);
}

/** `mine (full, prediction)`. What a built-in author is not shown is not said. */
function attemptLabel({ author, context, mode }: HarnessAttempt): string {
  const told = author.startsWith('builtin:') ? [] : [context, ...(mode === 'prediction' ? [mode] : [])];
  return told.length === 0 ? author : `${author} (${told.join(', ')})`;
}
