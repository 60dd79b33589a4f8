/** What has a place in a hierarchy of folders, files, modules and classes. */
export interface Named {
  /** From the outermost folder to its own name. */
  readonly segments: readonly string[];
}

/**
 * Those that a name may mean, given as far as it goes: one of the two has to be the end of the other. Where several are,
 * those that share most of it; more than one that share as much is an ambiguity of the name.
 */
export function matching<T extends Named>(candidates: readonly T[], segments: readonly string[]): T[] {
  return longest(candidates, (each) => {
    const shared = sharedEnd(each.segments, segments);
    return shared === Math.min(each.segments.length, segments.length) ? shared : 0;
  });
}

/** Those that share the longest end with a name, be it a part of both. */
export function nearest<T extends Named>(candidates: readonly T[], segments: readonly string[]): T[] {
  return longest(candidates, (each) => sharedEnd(each.segments, segments));
}

function longest<T>(candidates: readonly T[], lengthOf: (each: T) => number): T[] {
  let best = 1;
  let found: T[] = [];
  for (const each of candidates) {
    const length = lengthOf(each);
    if (length > best) {
      best = length;
      found = [each];
    } else if (length === best) found.push(each);
  }
  return found;
}

function sharedEnd(one: readonly string[], other: readonly string[]): number {
  let shared = 0;
  while (shared < Math.min(one.length, other.length) && one.at(-1 - shared) === other.at(-1 - shared)) shared++;
  return shared;
}
