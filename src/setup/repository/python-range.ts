/**
 * Whether a condition on the version of Python (`>=3.12,<4`, PEP 440) allows a release of it, `major.minor.patch` in numbers.
 * A part that is no such condition allows all.
 */
export function allowsPython(range: string, version: string): boolean {
  const numbers = version.split('.').map(Number);
  return range
    .split(',')
    .map((part) => /^\s*(~=|===?|!=|<=?|>=?)\s*(\d+(?:\.\d+)*)(\.\*)?\s*$/.exec(part))
    .every((bound) => bound === null || within(numbers, bound));
}

function within(version: readonly number[], [, sign, text, open]: RegExpExecArray): boolean {
  const wanted = text!.split('.').map(Number);
  const difference = compare(version, wanted);
  const begins = (length: number) => compare(version.slice(0, length), wanted.slice(0, length)) === 0;
  switch (sign) {
    case '>=':
      return difference >= 0;
    case '<=':
      return difference <= 0;
    case '>':
      return difference > 0;
    case '<':
      return difference < 0;
    case '~=':
      return difference >= 0 && begins(wanted.length - 1);
    case '!=':
      return open ? !begins(wanted.length) : difference !== 0;
    default:
      return open ? begins(wanted.length) : difference === 0;
  }
}

/** What is not said is 0: 3.12 is 3.12.0. */
function compare(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
