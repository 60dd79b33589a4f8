/** A program that is said in quotes not to be there, by whoever looked for it: `The 'make' utility is missing from PATH`. */
export const MISSING_PROGRAM =
  /['"‘`]([\w.+-]+)['"’`] (?:(?:utility|command|program|executable|binary|tool) )?(?:is|was) (?:missing|not (?:found )?(?:in|on)) (?:from )?(?:(?:the|your) )?\$?PATH\b|\b(?:command|program|executable|binary) ['"‘`]([\w.+-]+)['"’`] (?:was |is |could )?not (?:be )?found\b/i;
