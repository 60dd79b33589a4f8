import { DECISIVE, NOISE } from './error-lines';

/** Characters of one key line that are kept. */
const LONGEST = 240;
const MOST = 5;

export interface SignatureOptions {
  /** Replace version numbers as well, for comparing across projects. */
  readonly versions?: 'keep' | 'drop';
}

/**
 * The line of a failed command's output that says why it failed, without what differs between two runs of the same
 * failure: paths, addresses, times, line numbers, colours. Empty for an output without text. Two outputs with the same
 * signature failed for the same reason; a different one says that something else stands in the way now.
 */
export function errorSignature(text: string, options: SignatureOptions = {}): string {
  return errorSignatures(text, options)[0] ?? '';
}

/** The most decisive lines, best first and each once, at most five: a test run may fail for several reasons. */
export function errorSignatures(text: string, options: SignatureOptions = {}): string[] {
  const signatures = new Set(
    chosenLines(text)
      .map(({ line, below }) => normalised([line, below].filter(Boolean).join(' '), options))
      .filter(Boolean),
  );
  return [...signatures].slice(0, MOST);
}

/** The same lines as they were printed, for patterns to be tried on. */
export function keyLines(text: string): string[] {
  return [...new Set(chosenLines(text).map(({ line }) => line))].slice(0, MOST);
}

interface Chosen {
  readonly line: string;
  /** What a heading is about; empty below any other line. */
  readonly below: string;
}

function chosenLines(text: string): Chosen[] {
  const lines = linesOf(text);
  const weighed = lines.map((line, at) => ({ line, at, weight: weightOf(line) }));
  const best = weighed.filter(({ weight }) => weight >= DECISIVE_FROM);
  // Nothing looks like an error: programs say last what went wrong.
  const chosen =
    best.length > 0
      ? best.sort((a, b) => b.weight - a.weight || a.at - b.at)
      : weighed.filter(({ weight }) => weight === PLAIN).slice(-1);
  return (chosen.length > 0 ? chosen : weighed.slice(-1)).map(({ line, at }) => ({ line, below: belowOf(lines, at) }));
}

/** How far below a heading its subject stands: rules and blank lines may be between. */
const NEAR = 4;

/** What `CMake Error at CMakeLists.txt:5 (find_package):` or `LookupError:` is about stands below it; without it two are one. */
function belowOf(lines: readonly string[], at: number): string {
  // What would help is no part of what is wrong.
  if (!/:$/.test(lines[at]!) || /\bto \w+(?: it)?:$/.test(lines[at]!)) return '';
  const near = lines.slice(at + 1, at + 1 + NEAR);
  return near.find((line) => /\w/.test(line) && weightOf(line) !== NONE) ?? '';
}

const NONE = 0;
const PLAIN = 1;
const DECISIVE_FROM = 2;

function weightOf(line: string): number {
  if (NOISE.some((pattern) => pattern.test(line))) return NONE;
  return DECISIVE.find(({ pattern }) => pattern.test(line))?.weight ?? PLAIN;
}

/** Lines as a person reads them: colours gone, overwritten progress gone, the prefixes of tools gone. */
function linesOf(text: string): string[] {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are what is taken out.
      .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[()][A-Z0-9])/g, '')
      .split(/\r?\n/)
      .map((line) => line.slice(line.lastIndexOf('\r') + 1))
      .map(withoutPrefix)
      .filter(Boolean)
  );
}

const PREFIXES = [
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\s*/,
  /^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s+/,
  /^\d+\s+(?=E {2,})/,
  /^E\s{2,}/,
  /^INTERNALERROR>\s*/,
  /^npm (?:ERR!|error)\s*/,
  /^\[(?:ERROR|FATAL|error)\]\s*/,
  /^#\d+\s+\d+\.\d+\s+/,
  /^[|│╰─>×✖•]+\s+/,
];

function withoutPrefix(line: string): string {
  let rest = line.trim();
  for (const prefix of PREFIXES) rest = rest.replace(prefix, '');
  return rest.trim();
}

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/[‘’`´]/g, "'"],
  [/[“”]/g, '"'],
  [/\b[a-z][a-z+.-]*:\/\/[^\s'"<>)\]]+/gi, '<url>'],
  [/\bgit@[^\s'"]+/g, '<url>'],
  [/\b0x[0-9a-f]+\b/gi, '<addr>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{12,}\b/gi, '<hex>'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, '<time>'],
  [/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, '<ip>'],
  // A port that the system handed out is another one tomorrow; a service's own says which service.
  [/(<ip>|localhost|\bport)([: ]+)(?:3[3-9]|[4-6]\d)\d{3}\b/g, '$1$2<port>'],
  [/\b\d+(?:\.\d+)?\s?(?:ms|s|secs?|seconds|minutes)\b/g, '<duration>'],
  [/\b(pid|process)[ =]\d+\b/gi, '$1 <n>'],
  [/\b(?:x86_64|aarch64|arm64|i[3-6]86)-(?:[a-z]+-)?linux-gnu-(?=g?cc|g\+\+|c\+\+)/g, ''],
];

function normalised(line: string, { versions = 'keep' }: SignatureOptions): string {
  let text = line;
  for (const [pattern, instead] of REPLACEMENTS) text = text.replace(pattern, instead);
  text = withoutPaths(text)
    // `file.c:12:5:`, `line 12`, `(12:5)`: an edit above the error moves it.
    .replace(/(\.[A-Za-z]\w{0,4}):\d+(?::\d+)?/g, '$1')
    .replace(/\.java:\[\d+,\d+\]/g, '.java')
    .replace(/\bline \d+(?:, column \d+)?/g, 'line <n>')
    .replace(/^(?:(?:ba|da|z)?sh|bash): (?:line <n>|\d+): /, '')
    .replace(/^(?:(?:ba|da|z)?sh): /, '')
    .replace(/^(\S+): (?:command )?not found$/, '$1: command not found')
    .replace(/\b(tmp|pip-[a-z-]+-|build-env-)[a-z0-9_]{6,10}\b/g, '$1<n>');
  if (versions === 'drop') text = text.replace(/\bv?\d+(?:\.\d+)+(?:[-.]?(?:a|b|rc|dev|post)\d*)?\b/g, '<version>');
  return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST);
}

/** A file keeps its name, a program too; a folder says nothing about the failure. */
function withoutPaths(text: string): string {
  return text.replace(/(^|[\s'"(=:[,])((?:~|\.{1,2})?(?:\/[\w.@+~%-]+)+\/?)/g, (_, before: string, path: string) => {
    // What ends a sentence belongs to it.
    const stop = /[.:,]+$/.exec(path)?.[0] ?? '';
    const parts = path
      .slice(0, path.length - stop.length)
      .split('/')
      .filter(Boolean);
    const name = parts.at(-1) ?? '';
    const program = ['bin', 'sbin', 'libexec'].includes(parts.at(-2) ?? '');
    const kept = program || (/\.[A-Za-z0-9]{1,8}$/.test(name) && !/^tmp/.test(name)) ? name : '<path>';
    return `${before}${kept}${stop}`;
  });
}
