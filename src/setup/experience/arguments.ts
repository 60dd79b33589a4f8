/** Why an atom cannot be rendered: said to the agent, which may then write its own command. */
export class Refusal extends Error {}

type Args = Readonly<Record<string, unknown>>;

/** The first of several spellings of an argument that is there. */
export function argument(args: Args, ...spellings: readonly string[]): unknown {
  for (const name of spellings) if (args[name] !== undefined && args[name] !== null) return args[name];
  return undefined;
}

export function textArgument(args: Args, ...spellings: readonly string[]): string {
  const given = argument(args, ...spellings);
  // A list of one is that one.
  const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.trim() === '') throw new Refusal(`needs "${spellings[0]}"`);
  if (value.includes('\0')) throw new Refusal(`"${spellings[0]}" holds a NUL`);
  return value;
}

/** A command, or several that follow each other while they succeed. */
export function commandArgument(args: Args, ...spellings: readonly string[]): string {
  const value = argument(args, ...spellings);
  if (!Array.isArray(value) || value.length < 2) return textArgument(args, ...spellings);
  return (
    value
      .map((_, at) => textArgument({ each: value[at] }, 'each').trim())
      // A comment, a here-document or a sign at its end would reach into the command that follows.
      .map((each) => (/[\n#]|[;&|]$/.test(each) ? `{ ${each}\n}` : each))
      .join(' && ')
  );
}

/**
 * A list however it was written: a list, one string with spaces or commas. Space around a comparison and a comma inside
 * of a version range do not separate.
 */
export function listArgument(args: Args, ...spellings: readonly string[]): string[] {
  const value = argument(args, ...spellings);
  const items = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return items.flatMap((item) => {
    if (typeof item !== 'string') throw new Refusal(`"${spellings[0]}" is no text`);
    if (/[\n\r\0]/.test(item)) throw new Refusal(`"${spellings[0]}" holds a line end`);
    return item
      .trim()
      .replace(/(?:(?<!\s)\s+)?(===|==|>=|<=|~=|!=|<|>)\s*/g, '$1')
      .replace(/\[[^[\]]*\]/g, (extras) => extras.replace(/\s+/g, ''))
      .split(/\s+|,(?=\s*[A-Za-z@])(?![^[]*\])/)
      .map((each) => each.replace(/^,|,$/g, ''))
      .filter(Boolean);
  });
}

/** Options of a program, split where a value follows a space. Each begins with a dash or is the value of the one before. */
export function flagsArgument(args: Args, ...spellings: readonly string[]): string[] {
  const value = argument(args, ...spellings);
  const items = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const flags = items.flatMap((item) => (typeof item === 'string' ? item.trim().split(/\s+/).filter(Boolean) : []));
  flags.forEach((flag, at) => {
    if (/^--?[A-Za-z]/.test(flag)) return;
    if (at > 0 && /^--?[A-Za-z][\w-]*$/.test(flags[at - 1]!)) return;
    throw new Refusal(`"${flag}" is no option`);
  });
  return flags;
}
