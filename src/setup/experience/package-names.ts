import { Refusal } from './arguments';

export type Manager = 'pip' | 'apt' | 'conda' | 'npm';

const EXTRAS = String.raw`(?:\[[A-Za-z0-9._, -]+\])?`;
const RANGE = `(?:(?:===|==|>=|<=|~=|!=|<|>)[A-Za-z0-9.*+!_-]+)`;
const REQUIREMENT = new RegExp(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?${EXTRAS}(?:${RANGE}(?:,${RANGE})*)?$`);
/** Nothing leads out of the work directory: neither an absolute path nor `..`. */
const INSIDE = String.raw`(?:(?!\.\.(?:/|$))[\w.-]+/)*(?!\.\.(?:/|$))[\w.-]+`;
const LOCAL = new RegExp(String.raw`^\.(?:/${INSIDE})?/?${EXTRAS}$`);
const FILE = new RegExp(`^(?!-)${INSIDE}$`);
const REMOTE = /^(?:git\+)?https:\/\/[\w.@:/#%~+=&?-]+$/;
const SHAPES: Readonly<Record<Manager, (text: string) => boolean>> = {
  /** PEP 508 without markers, a path in the project, or an address. */
  pip: (text) => REQUIREMENT.test(text) || LOCAL.test(text) || REMOTE.test(text),
  /** deb-version may follow `=`, with `*` for its end. */
  apt: (text) => /^[a-z0-9][a-z0-9+.-]*(?::[a-z0-9]+)?(?:=[A-Za-z0-9.+:~-]+\*?)?$/.test(text),
  conda: (text) => /^(?:[\w.-]+::)?[A-Za-z0-9][\w.-]*(?:(?:==?|>=|<=|!=|~=|<|>)[\w.*,<>=!]+)?$/.test(text),
  npm: (text) => /^(?:@[a-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*(?:@[\w.^~<>=*|+-]+(?: [\w.^~<>=*|+-]+)*)?$/.test(text),
};

/** Package names are data: one that begins with a dash or holds what a shell would act on is refused, not quoted away. */
export function packages(manager: Manager, names: readonly string[]): string[] {
  if (names.length === 0) throw new Refusal('needs a package');
  names.forEach((name, at) => {
    if (SHAPES[manager](name) || (manager === 'pip' && isRequirementOption(names, at))) return;
    throw new Refusal(`${JSON.stringify(name.slice(0, 80))} is no ${manager} package`);
  });
  return [...names];
}

/**
 * `-e .` and `-r requirements.txt` are requirements for pip as names are. They count as a word with the one before it,
 * in one word, or with `=`; files lie in the project.
 */
function isRequirementOption(words: readonly string[], at: number): boolean {
  const word = words[at]!;
  const operand = (option: string, value: string | undefined) =>
    value !== undefined && (/^(?:-e|--editable)$/.test(option) ? isEditable(value) : FILE.test(value));
  if (OPTION.test(word)) return operand(word, words[at + 1]);
  const before = words[at - 1];
  if (before !== undefined && OPTION.test(before)) return operand(before, word);
  const [, long, after] = /^(--(?:editable|requirement|constraint))=(.*)$/.exec(word) ?? [];
  if (long) return operand(long, after);
  const [, short, glued] = /^(-[erc])(.+)$/.exec(word) ?? [];
  return short !== undefined && operand(short, glued);
}

const OPTION = /^(?:-[erc]|--(?:editable|requirement|constraint))$/;

function isEditable(text: string): boolean {
  return LOCAL.test(text) || REMOTE.test(text);
}
