import type { Atom } from '../../contract';
import { argument } from './arguments';

/** Ways to make a test run green that are no repair of anything. */
const AVOIDING = [
  /--(?:ignore(?:-glob)?|deselect)(?=[=\s'"]|$)/,
  // A selection by keyword or marker that leaves something out.
  /(?:^|[\s'"=])-[km][\s=]*(?:\\?(["'])(?:(?!\1).){0,400}\bnot\b|not\b)/,
  /\|\|\s*(?:true|:)/,
  /--no-cov-on-fail|--continue-on-collection-errors|--exit-zero|\bset \+e\b/,
  /--passWithNoTests|--testPathIgnorePatterns|-DskipTests|-Dmaven\.test\.skip/,
  /\btest\b.{0,400}\s--?skip(?=[=\s]|$)|\bctest\b.{0,400}\s-L?E\s|--exclude-regex|\bgradlew?\b.{0,400}\s-x\s+\w*test\b/i,
  /\bcollect_ignore|\bmark\.(?:skip|xfail)|\bunittest\.skip|\bSkipTest\b/,
  /\b(?:rm|mv)\s+(?:-\S+\s+)*(?:\S*[/_.-])?tests?[\w/.-]*\.(?:py|[jt]sx?|go|rs|java|cc?|cpp)\b/,
];

export function avoidsTests(command: string): boolean {
  return AVOIDING.some((pattern) => pattern.test(command));
}

/**
 * Whether a command only looks at tests. As a goal that is honest, to see whether they can be found; as a fix it makes the
 * error of a test go away with the test.
 */
export function runsNoTests(command: string): boolean {
  return /--(?:collect-only|co|setup-plan|no-run|listTests)(?![\w-])/.test(command);
}

const NEGATED = /\b(?:not|never|avoid|cannot|without|instead of|rather than)\b|n't\b/i;
const TESTS = String.raw`\s+(?:(?!(?:before|after|from|and|then|in|for|when|so|to)\b)[\w'-]+\s+){0,3}tests?\b`;
const ADVISED = new RegExp(
  String.raw`\b(?:skip|ignor|deselect|exclud|disabl|omit|bypass|remov|delet)(?:e|ping|ing|ting)?${TESTS}|` +
    String.raw`\btests?\b[^.;]{0,30}\b(?:xfail|as skipped)\b`,
  'i',
);

/** The first sentence that tells somebody to avoid tests. A warning of it is none. */
export function avoidanceIn(advice: readonly string[]): string | undefined {
  return advice.flatMap(instructions).find((sentence) => avoidsTests(sentence) || ADVISED.test(sentence));
}

/** Sentences that say what to do; those that say what not to do are left out. What stands in quotes negates nothing. */
export function instructions(advice: string): string[] {
  return advice
    .split(/(?<=[.;!?])\s+/)
    .filter((sentence) => !NEGATED.test(sentence.replace(/`[^`]*`|"[^"]*"|'[^']*'/g, ' ')));
}

/** What an atom does as plain text, to be read and not to be run: the shell's quoting of a rendered one would hide it. */
export function atomText({ name, args }: Atom): string {
  if (name === 'set_pytest_flag') {
    const flags = textsIn(argument(args, 'name', 'flag', 'option', 'flags', 'options'));
    const value = textsIn(argument(args, 'value', 'val'));
    const [first = '', ...more] = flags;
    return ['pytest', first.startsWith('-') ? first : `--${first}`, ...[...more, ...value].map(asWord)].join(' ');
  }
  if (name === 'set_env') {
    const key = textsIn(argument(args, 'key', 'var', 'name', 'variable')).join(' ');
    return `export ${key}="${textsIn(argument(args, 'value', 'val')).join(' ')}"`;
  }
  return textsIn(args).join(' ');
}

function asWord(text: string): string {
  return /\s/.test(text) && !text.startsWith('-') ? `"${text}"` : text;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
