/** The number that Python's `float.hex` wrote; `nan`, `inf` and `-inf` too. NaN where it is no such text. */
export function floatOf(text: string): number {
  if (text === 'inf') return Infinity;
  if (text === '-inf') return -Infinity;
  const parts = /^(-?)0x([01])(?:\.([0-9a-f]+))?p([+-]\d+)$/.exec(text);
  if (parts === null) return Number.NaN;
  const [, sign, lead, fraction = '', exponent] = parts;
  // At most 53 bits, and one power of two: both are exact.
  const size = Number.parseInt(`${lead}${fraction}`, 16) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -size : size;
}

/** The number as Python's `repr` writes it. */
export function floatText(number: number): string {
  if (Number.isNaN(number)) return 'nan';
  if (!Number.isFinite(number)) return number > 0 ? 'inf' : '-inf';
  if (Object.is(number, -0)) return '-0.0';
  const size = Math.abs(number);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return number.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return Number.isInteger(number) ? `${number}.0` : String(number);
}

export interface Tolerance {
  /** Share of the larger of the two numbers. */
  readonly relative: number;
  readonly absolute: number;
}

/** Whether two numbers are as good as equal. NaN equals NaN, and a zero either zero. */
export function closeTo(a: number, b: number, { relative, absolute }: Tolerance): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  return Math.abs(a - b) <= Math.max(relative * Math.max(Math.abs(a), Math.abs(b)), absolute);
}
