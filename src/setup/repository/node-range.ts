/**
 * Whether a range of `engines` allows a version of Node.js: what the court's check in the container decides by too (see
 * `node-check.ts`, which runs where nothing of ours is), so that what is chosen here is not condemned there. A text that is
 * no range allows all.
 */
export function allowsNode(range: string, version: string): boolean {
  if (!/^[\s\d.xX*^~<>=|v,-]+$/.test(range)) return true;
  const numbers = numbersOf(version);
  if (!numbers) return true;
  return range.split('||').some((part) => {
    const hyphen = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(part);
    const bounds = hyphen
      ? [`>=${hyphen[1]}`, `<=${hyphen[2]}`]
      : part
          .replace(/([<>=^~])\s+/g, '$1')
          .split(/[\s,]+/)
          .filter(Boolean);
    return bounds.every((bound) => within(numbers, bound));
  });
}

type Numbers = readonly (number | undefined)[];

/** Major, minor, patch; undefined where one is left open. */
function numbersOf(text: string): Numbers | null {
  const found = /(\d+)(?:\.(\d+|x|\*))?(?:\.(\d+|x|\*))?/.exec(text);
  const parts = found?.slice(1, 4).map((part) => (part === undefined ? NaN : Number(part)));
  return parts?.map((part) => (Number.isNaN(part) ? undefined : part)) ?? null;
}

function compare(a: Numbers, b: Numbers): number {
  for (let at = 0; at < 3; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function within(version: Numbers, bound: string): boolean {
  const [, sign = '', text = ''] = /^(\^|~>?|>=|<=|>|<|=|v)?\s*v?(.*)$/.exec(bound.trim()) ?? [];
  const wanted = numbersOf(text);
  if (!wanted) return true;
  const difference = compare(version, wanted);
  switch (sign) {
    case '>=':
      return difference >= 0;
    case '<=':
      return difference <= 0 || (wanted[1] === undefined && version[0] === wanted[0]);
    case '>':
      return difference > 0;
    case '<':
      return difference < 0;
    case '^': {
      const fixed = wanted.findIndex((part) => part !== 0 && part !== undefined);
      const open = wanted[1] === undefined ? 0 : wanted[2] === undefined ? 1 : 2;
      const upTo = fixed < 0 ? open : fixed;
      return difference >= 0 && version.slice(0, upTo + 1).every((part, at) => part === (wanted[at] ?? 0));
    }
    case '~':
    case '~>':
      return difference >= 0 && version[0] === wanted[0] && (wanted[1] === undefined || version[1] === wanted[1]);
    default:
      return wanted.every((part, at) => part === undefined || part === version[at]);
  }
}
