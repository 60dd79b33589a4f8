import type { Repairs } from './peer-repairs';

const MOST = 5;
const LONGEST = 2_000;

/** Advice as a unit may hold it. A long piece is used in several, and kept whole beside to go back as it was. */
export function usableAdvice(items: readonly string[], repairs: Repairs): string[] {
  const long = items.filter((item) => item.length > LONGEST);
  repairs.keepItems('advice_long', long, `${long.length} of ${items.length} texts of advice are used in pieces`);
  const pieces = items.flatMap(inPieces);
  const more = pieces.slice(MOST);
  repairs.keepItems(
    'advice_more',
    more,
    `${pieces.length} pieces of advice, the first ${MOST} are used; ${more.length}`,
  );
  return pieces.slice(0, MOST);
}

/** Pieces put together again. What somebody merged in the meantime is no longer in pieces, and the whole follows. */
export function wholeAdvice(pieces: readonly string[], long: readonly string[]): string[] {
  const advice = [...pieces];
  for (const whole of long) {
    const parts = inPieces(whole);
    const at = advice.findIndex((_, from) => parts.every((part, offset) => advice[from + offset] === part));
    if (at < 0) advice.push(whole);
    else advice.splice(at, parts.length, whole);
  }
  return advice;
}

/** No piece ends within a character. */
function inPieces(text: string): string[] {
  if (text.length <= LONGEST) return [text];
  const size = LONGEST - (/[\ud800-\udbff]/.test(text[LONGEST - 1]!) ? 1 : 0);
  return [text.slice(0, size), ...inPieces(text.slice(size))];
}
