/** As `tar --exclude` has it: a pattern fits what begins at any name of the path, and with a folder all that is in it. */
export function isExcluded(path: string, patterns: readonly string[]): boolean {
  const names = path.split('/');
  return patterns.some((pattern) => {
    const parts = readPattern(pattern.replace(/^\.\//, '').replace(/\/$/, ''));
    return names.some((_, end) =>
      names.slice(0, end + 1).some((__, start) => fits(names.slice(start, end + 1).join('/'), parts)),
    );
  });
}

/** A pattern in parts: any text, or a character of some kind. */
type Part = '*' | ((character: string) => boolean);

function readPattern(pattern: string): Part[] {
  return [...pattern.matchAll(/\[(!?)([^\]]{1,100})\]|[\s\S]/g)].map(([text, not, among]) => {
    if (text === '*') return '*';
    if (text === '?') return () => true;
    if (among === undefined) return (character) => character === text;
    const ranges = [...among.matchAll(/([\s\S])(?:-([\s\S]))?/g)];
    const isAmong = (character: string) =>
      ranges.some(([, low, high = low]) => low! <= character && character <= high!);
    return (character) => isAmong(character) !== (not === '!');
  });
}

/** Goes back to the last `*` alone, since an earlier one could take no other text with more success: a regular expression tries them all. */
function fits(text: string, parts: readonly Part[]): boolean {
  let [at, part, star, after] = [0, 0, -1, 0];
  while (at < text.length) {
    const wanted = parts[part];
    if (wanted === '*') [star, after] = [part++, at];
    else if (wanted?.(text[at]!)) [at, part] = [at + 1, part + 1];
    else if (star < 0) return false;
    else [at, part] = [++after, star + 1];
  }
  return parts.slice(part).every((rest) => rest === '*');
}
