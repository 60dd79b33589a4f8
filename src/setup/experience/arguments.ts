/** Why an atom cannot be rendered: said to the agent, which may then write its own command. */
export class Refusal extends Error {}

type Args = Readonly<Record<string, unknown>>;

/** The first of several spellings of an argument that is there. */
export function argument(args: Args, ...spellings: readonly string[]): unknown {
  for (const name of spellings) if (args[name] !== undefined && args[name] !== null) return args[name];
  return undefined;
}

export function textArgument(args: Args, ...spellings: readonly string[]): string {
  const value = argument(args, ...spellings);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value.trim() === '') throw new Refusal(`needs "${spellings[0]}"`);
  if (value.includes('\0')) throw new Refusal(`"${spellings[0]}" holds a NUL`);
  return value;
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
      .replace(/\s*(===|==|>=|<=|~=|!=|<|>)\s*/g, '$1')
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

const EXTRAS = String.raw`(?:\[[A-Za-z0-9._, -]+\])?`;
const RANGE = `(?:(?:===|==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]+)`;
const REQUIREMENT = new RegExp(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?${EXTRAS}(?:${RANGE}(?:,${RANGE})*)?$`);
const LOCAL = new RegExp(String.raw`^\.{1,2}(?:/[\w.-]+)*/?${EXTRAS}$`);
const REMOTE = /^(?:git\+)?https:\/\/[\w.@:/#%~+=&?-]+$/;
const SHAPES = {
  /** PEP 508 without markers, a path in the project, or an address. */
  pip: (text: string) => REQUIREMENT.test(text) || LOCAL.test(text) || REMOTE.test(text),
  /** deb-version may follow `=`. */
  apt: (text: string) => /^[a-z0-9][a-z0-9+.-]*(?::[a-z0-9]+)?(?:=[A-Za-z0-9.+:~-]+)?$/.test(text),
  conda: (text: string) => /^(?:[\w.-]+::)?[A-Za-z0-9][\w.-]*(?:(?:==?|>=|<=|<|>)[\w.*,<>=]+)?$/.test(text),
  npm: (text: string) => /^(?:@[a-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*(?:@[\w.^~<>=*|-]+)?$/.test(text),
} as const;

/** Package names are data: one that begins with a dash or holds what a shell would act on is refused, not quoted away. */
export function packages(kind: keyof typeof SHAPES, names: readonly string[]): string[] {
  if (names.length === 0) throw new Refusal('needs a package');
  for (const name of names) {
    if (!SHAPES[kind](name)) throw new Refusal(`${JSON.stringify(name.slice(0, 80))} is no ${kind} package`);
  }
  return [...names];
}
