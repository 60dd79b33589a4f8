/** Where words stand in a text that a chat template made. */
interface Shown {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds words as templates write them: as they are, without the white space around them, as JSON writes them in a string (once, or
 * twice where arguments are text), or as Python does. Undefined where they are not there from `from` on.
 */
export function shownIn(text: string, words: string, from = 0): Shown | undefined {
  const trimmed = words.trim();
  for (const form of [trimmed, ...escapedForms(trimmed)]) {
    const start = text.indexOf(form, from);
    if (start >= 0) return { start, end: start + form.length };
  }
  return undefined;
}

function escapedForms(words: string): string[] {
  // Nothing to escape: all forms are one.
  if (!/["'\\]|[^ -~]/.test(words)) return [];
  const once = inJson(words);
  const python = once.replace(/\\"/g, '"');
  const ascii = once.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [...new Set([once, inJson(once), ascii, python, python.replace(/'/g, "\\'")])].filter(
    (form) => form !== words,
  );
}

/** Without the quotes around it. */
function inJson(words: string): string {
  return JSON.stringify(words).slice(1, -1);
}

/** Names of the arguments (JSON of an object) that none of the texts shows whole, with all that is in their values. */
export function missingArguments(json: string, texts: readonly string[]): string[] {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    texts.some((text) => shownIn(text, name) && showsValue(text, inner)) ? [] : [name],
  );
}

function showsValue(text: string, value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '' || shownIn(text, value) !== undefined;
  if (typeof value === 'number') return text.includes(String(value));
  if (typeof value === 'boolean') return /true/i.test(text) || !value;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => showsValue(text, item));
  return Object.entries(value).every(([name, inner]) => shownIn(text, name) !== undefined && showsValue(text, inner));
}
