/**
 * How Python names a module that is missing, older versions of it without quotes. A line that was cut within the name, as
 * pytest's short summaries are, names none.
 */
export const NO_MODULE = /\bNo module named '?([A-Za-z_](?:[\w.]*\w)?)(?!\w|\.[\w.])/;
