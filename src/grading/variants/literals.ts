/** Other values for literals, as source text: the value differs for certain, sign, length and parity stay where they can. */

/** Values beyond which a type of fixed width ends: no candidate steps over one that the literal keeps to. */
const LIMITS = [127, 255, 32_767, 65_535, 2 ** 31 - 1, 2 ** 32 - 1, 2 ** 53 - 1];
const MOST_TEXTS = 3;

/** How far a tolerant comparison accepts: both parts are added up. */
export interface Tolerance {
  readonly relative: number;
  readonly absolute: number;
}

export const EXACT: Tolerance = { relative: 0, absolute: 0 };

/**
 * Other numbers for a literal without its sign: 3, `0x1f`, `1_000`, 2.5e3, `7u8`. Each is further from it than twice the
 * tolerance. Even distances, because an object that equals all even numbers must not pass.
 */
export function otherNumbers(text: string, tolerance: Tolerance = EXACT): string[] {
  const value = numberOf(text);
  const apart = (other: string) => {
    const far = Math.abs(numberOf(other) - value);
    const reach = tolerance.absolute + tolerance.relative * Math.max(Math.abs(value), Math.abs(numberOf(other)));
    return !(far <= 2 * reach);
  };
  const candidates = withAnotherDigit(text).filter((each) => apart(each) && !oversteps(value, each));
  if (candidates.length > 0 || tolerance === EXACT) return candidates.slice(0, MOST_TEXTS);
  // Nothing near is far enough: the tolerance spans more than a digit.
  if (!/^[\d_.eE+-]+$/.test(text)) return [];
  const step = 2 * Math.ceil(2 * (tolerance.absolute + tolerance.relative * Math.abs(value)) + 1);
  return [1, 2, 3]
    .map((times) => value + times * step)
    .filter((other) => Number.isFinite(other))
    .map((other) => (Number.isInteger(other) && /[.eE]/.test(text) ? `${other}.0` : `${other}`))
    .filter((each) => /^[\d.]+$/.test(each) && apart(each));
}

/** Value of a number's source text, without its suffix; NaN where it is none. */
export function numberOf(text: string): number {
  const plain = text.replace(/_/g, '');
  if (/^0[xob]/i.test(plain)) return Number(/^0(?:x[\da-f]+|o[0-7]+|b[01]+)/i.exec(plain)?.[0]);
  return Number.parseFloat(plain);
}

function oversteps(value: number, other: string): boolean {
  return LIMITS.some((limit) => value <= limit && numberOf(other) > limit);
}

/** The literal with one digit changed: of an integer or a whole part the last, else the first that counts. */
function withAnotherDigit(text: string): string[] {
  if (/^0[bB]/.test(text)) {
    const at = text.length > 3 && /[01]/.test(text.at(-2)!) ? text.length - 2 : text.length - 1;
    return [replacedAt(text, at, text[at] === '0' ? '1' : '0')];
  }
  if (/^0[xX]/.test(text)) {
    const digits = /^0[xX][\da-fA-F_]+/.exec(text)![0];
    return digitsLike(digits.at(-1)!, 16, true).map((digit) => replacedAt(text, digits.length - 1, digit));
  }
  const octal = /^0[oO][0-7_]+/.exec(text)?.[0];
  if (octal) return digitsLike(octal.at(-1)!, 8, true).map((digit) => replacedAt(text, octal.length - 1, digit));
  const whole = /^\d[\d_]*/.exec(text)?.[0];
  if (whole) {
    const several = /[1-9]/.test(whole.slice(0, -1));
    return digitsLike(whole.at(-1)!, 10, several).map((digit) => replacedAt(text, whole.length - 1, digit));
  }
  const fraction = /^\.0*\d/.exec(text)?.[0];
  if (!fraction) return [];
  return digitsLike(fraction.at(-1)!, 10, false).map((digit) => replacedAt(text, fraction.length - 1, digit));
}

/** Other digits of the same parity. The smaller ones first where others stand before it, so that no width is exceeded. */
function digitsLike(digit: string, base: number, several: boolean): string[] {
  const own = Number.parseInt(digit, 16);
  const others = Array.from({ length: base }, (_, each) => each).filter(
    (each) => each !== own && each % 2 === own % 2 && (several || each > 0),
  );
  const smaller = others.filter((each) => each < own).reverse();
  const larger = others.filter((each) => each > own);
  const ordered = several ? [...smaller, ...larger] : [...larger, ...smaller];
  return ordered.map((each) => (/[A-F]/.test(digit) ? each.toString(16).toUpperCase() : each.toString(16)));
}

/** Escapes of Python, JavaScript, Go and Rust: what they stand for is left alone. */
const ESCAPES = /\\(?:x[\da-fA-F]{2}|u\{[^}]*\}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|N\{[^}]*\}|[0-7]{1,3}|\r\n|[\s\S])/g;

/**
 * Other contents for a string literal, given what stands between its quotes. One character is another of its class, from
 * the middle outwards; an empty text becomes a short one. Escapes stay as they are.
 */
export function otherTexts(content: string): string[] {
  const held = heldBy(content, ESCAPES);
  const places = charactersOf(content).filter(({ at, character }) => !held.has(at) && !/[\r\n]/.test(character));
  const plain = places.filter(({ character }) => /[A-Za-z0-9]/.test(character));
  const chosen = plain.length > 0 ? plain : places.filter(({ character }) => /[^'"`\\{}$%]/.test(character));
  if (chosen.length === 0) return content === '' ? ['x', 'no', 'a b'] : [`${content}x`, `${content}no`];
  return atSeveral(content, chosen);
}

/**
 * Other regular expressions: one letter that has to be matched is another. None where letters may be left out, or where
 * too few of them stand there to tell what is sought.
 */
export function otherPatterns(pattern: string): string[] {
  if (/[|]|\(\?[^:P]|\(\?P?</.test(pattern)) return [];
  const held = heldBy(
    pattern,
    /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|[\s\S])|\[\^?\]?[^\]]{0,400}\]|\([^()]*\)[*?{]|\{[^{}]*\}/g,
  );
  const chosen = charactersOf(pattern).filter(
    ({ at, character }) => /[A-Za-z]/.test(character) && !held.has(at) && !/[*?{]/.test(pattern[at + 1] ?? ''),
  );
  return chosen.length < 4 || /\)[*?{]/.test(pattern) ? [] : atSeveral(pattern, chosen);
}

/** Other texts to look for, with two characters changed: long enough that none is there by chance. */
export function otherNeedles(content: string): string[] {
  const held = heldBy(content, ESCAPES);
  const plain = charactersOf(content).filter(({ at, character }) => !held.has(at) && /[A-Za-z0-9]/.test(character));
  if (plain.length < 4) return [];
  const [first, ...rest] = plain;
  return atSeveral(content, rest).map((each) => changed(each, first!, 9));
}

interface Character {
  readonly at: number;
  readonly character: string;
}

function charactersOf(text: string): Character[] {
  let at = 0;
  return Array.from(text, (character) => {
    at += character.length;
    return { at: at - character.length, character };
  });
}

function heldBy(text: string, kept: RegExp): Set<number> {
  const held = new Set<number>();
  for (const { index, 0: found } of text.matchAll(kept)) for (let at = 0; at < found.length; at++) held.add(index + at);
  return held;
}

/** A change in the middle by two characters, and one further on. */
function atSeveral(content: string, places: readonly Character[]): string[] {
  const middle = places[places.length >> 1]!;
  const later = places[(places.length * 3) >> 2]!;
  const texts = [
    ...[4, 11].map((step) => changed(content, middle, step)),
    changed(content, later, later === middle ? 7 : 9),
  ];
  return [...new Set(texts)].filter((each) => each !== content);
}

function changed(content: string, { at, character }: Character, step: number): string {
  return content.slice(0, at) + another(character, step) + content.slice(at + character.length);
}

function another(character: string, step: number): string {
  if (/[a-z]/.test(character)) return String.fromCharCode(97 + ((character.charCodeAt(0) - 97 + step) % 26));
  if (/[A-Z]/.test(character)) return String.fromCharCode(65 + ((character.charCodeAt(0) - 65 + step) % 26));
  if (/\d/.test(character)) {
    const digit = Number(character);
    const others = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((each) => each !== digit && each % 2 === digit % 2);
    return `${others[step % others.length]}`;
  }
  const marks = Array.from('-+=~_').filter((each) => each !== character);
  return marks[step % marks.length]!;
}

function replacedAt(text: string, at: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + 1);
}
