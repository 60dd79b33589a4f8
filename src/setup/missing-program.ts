/** How it is said that a program is not there, by whoever looked for it. Each has one group: its name. */
const SAID: readonly RegExp[] = [
  // The 'make' utility is missing from PATH. 'ninja' was not in PATH.
  /['"‘`]([\w.+-]+)['"’`] (?:(?:utility|command|program|executable|binary|tool) )?(?:is|was) (?:missing from|not (?:found )?(?:in|on)) (?:(?:the|your) )?(?:system )?\$?PATH\b/,
  // "dot" not found in path.
  /['"‘`]([\w.+-]+)['"’`] not found (?:in|on) (?:(?:the|your) )?(?:system )?\$?PATH\b/,
  // executable "protoc" was not found
  /\b(?:command|program|executable|binary) ['"‘`]([\w.+-]+)['"’`] (?:was |is |could )?not (?:be )?found\b/,
  // Could not find the program `wkhtmltopdf`
  /\bcould not find (?:the |an? )?(?:executable|program|binary) ['"‘`]([\w.+-]+)/,
  // tesseract is not installed or it's not in your PATH
  /(?<![\w+-])([\w+-]+) is not installed or (?:it's |is )?not (?:in|on) (?:your |the )?PATH\b/,
  // No pandoc was found: either install pandoc and add it
  /\bNo (?<lacked>[\w+-]+) was found\b.{0,300}\binstall \k<lacked>\b/,
  // Unable to run gpg (gpg) - it may not be available.
  /\bUnable to run ([\w+-]+) .{0,200}\bmay not be available\b/,
  // proj executable not found.
  /(?:^|: )[ \t]*(?!(?:the|an?|this|that|no|your|required)\b)([\w+-]+) executable (?:was |is )?not found\b/,
];

/** Any of these, wherever a line says it. */
export const MISSING_PROGRAM = new RegExp(SAID.map(({ source }) => source).join('|'), 'im');

/** The name that a match of `MISSING_PROGRAM` holds. */
export const missingProgram = (found: readonly (string | undefined)[]): string =>
  found.slice(1).find((name) => name !== undefined)!;
