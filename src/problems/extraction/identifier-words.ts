/** `parseHTTPHeader_v2` → parse, http, header, v2. Letters of any script; a leading underscore is nothing. */
export function identifierWords(identifier: string): string[] {
  return identifier
    .split(/_+|(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** Whether `words` stand side by side in `text`. */
export function holdsWords(text: readonly string[], words: readonly string[]): boolean {
  return text.some((_, at) => words.every((word, offset) => text[at + offset] === word));
}
