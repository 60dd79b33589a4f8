/** Characters of one key line that are kept. */
const LONGEST = 240;
const MOST = 5;

interface SignatureOptions {
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

/** How tools begin the line that says why: uv, cargo, miette. */
const CAUSE = /^[ \t]*(?:cause:|Caused by:|[╰└├]─▶)[ \t]*(\S.{0,2000}|)$/;

/** What `CMake Error at CMakeLists.txt:5 (find_package):` or `LookupError:` is about stands below it; without it two are one. */
function belowOf(lines: readonly string[], at: number): string {
  const cause = CAUSE.exec(lines[at + 1] ?? '')?.[1];
  if (cause !== undefined) return cause === '' ? (lines[at + 2]?.trim() ?? '') : cause;
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
      .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*\u0007|[()][A-Z0-9])/g, '')
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
  [/\b[a-z][a-z+.-]{0,30}:\/\/[^\s'"<>)\]]+/gi, '<url>'],
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
    .replace(/\b(tmp|pip-[a-z-]{1,40}-|build-env-)[a-z0-9_]{6,10}\b/g, '$1<n>');
  if (versions === 'drop') text = text.replace(/\bv?\d+(?:\.\d+)+(?:[-.]?(?:a|b|rc|dev|post)\d*)?\b/g, '<version>');
  return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST);
}

/** A file keeps its name, a program too; a folder says nothing about the failure. */
function withoutPaths(text: string): string {
  return text.replace(/(^|[\s'"(=:[,])((?:~|\.{1,2})?(?:\/[\w.@+~%-]+)+\/?)/g, (_, before: string, path: string) => {
    // What ends a sentence belongs to it.
    const stop = /(?<![.:,])[.:,]+$/.exec(path)?.[0] ?? '';
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

/**
 * What lines of build and test output are worth. Tools wrap the reason in layers ("subprocess exited", "failed building
 * wheel", "make: *** Error 1"): the layers are noise, the reason is decisive.
 */

/** Never the reason, though some of them begin with "error". */
const NOISE: readonly RegExp[] = [
  /^(?:warning|warn|npm warn|deprecation|debug|info|note|hint)\b/i,
  /^\S*(?:Deprecation|User|Future|Runtime|Resource|Syntax)Warning\b/,
  /^error: subprocess-exited-with-error$/i,
  /^error: metadata-generation-failed$/i,
  /^(?:ERROR: )?Failed (?:building wheel|to build)\b/i,
  /^(?:ERROR: )?Could not build wheels\b/i,
  /^ERROR: Failed cleaning build dir\b/i,
  /^error: legacy-install-failure$/i,
  /^(?:\S+ )*did not run successfully\.?$/i,
  /^exit (?:code|status):? \d+/i,
  /^Encountered error while\b/i,
  /^See above for (?:output|details)/i,
  /^\[end of output\]/,
  /^ERROR: pip's dependency resolver does not\b/,
  /^make(?:\[\d+\])?: \*\*\* .*(?:Error \d+|Waiting for unfinished jobs)/,
  /^make(?:\[\d+\])?: (?:Entering|Leaving) directory\b/,
  /^ninja: build stopped\b/,
  /^gmake\b/,
  /^=(?:.*=)?$/,
  /^_(?:.*_)?$/,
  /^!(?:.*!)?$/,
  /^-(?:.*-)?$/,
  /^Traceback \(most recent call last\)/,
  /^File "[^"]*", line \d+/,
  /^[\^~ ]+$/,
  /^error: could not compile\b/,
  /^error: aborting due to\b/,
  /^error: failed to compile\b/,
  /^For more information about this error\b/,
  /^error: build failed$/,
  /^Caused by:$/,
  /^FAIL(?:\t|$)/,
  /^exit status \d+$/,
  /^BUILD FAILURE$/,
  /^(?:Re-run Maven|To see the full stack trace|For more information about the errors|After correcting the problems)\b/i,
  /^A complete log of this run can be found\b/i,
  /^(?:Total time|Finished at):/,
  /^(?:code|errno|syscall|path|dest|command) \S+/,
  /^Lifecycle script\b/,
  /^compilation terminated\.?$/,
  /^raise\b/,
  /^\S+\.py:\d+: \w+$/,
  /^collect2: error: ld returned\b/,
  /^(?:ERROR: )?Command errored out\b/i,
  /^(?:ERROR: )?usage:/i,
  /^(?:inifile|rootdir|configfile|plugins|platform):/,
  /^Hint: make sure\b/,
  /^\d+ (?:passed|failed|errors?|skipped|warnings?)\b/,
];

/** First pattern that fits decides. Higher weights name a cause, lower ones only say that there is one. */
const DECISIVE: readonly { readonly weight: number; readonly pattern: RegExp }[] = [
  // What is missing, by name.
  { weight: 100, pattern: /\b(?:ModuleNotFoundError|No module named)\b/ },
  { weight: 100, pattern: /\bfatal error: .{1,300}: No such file or directory/ },
  { weight: 100, pattern: /\b(?:command )?not found(?: in \$PATH)?$/i },
  { weight: 100, pattern: /\bexecutable (?:file )?not found\b/i },
  { weight: 100, pattern: /\bExecutableNotFound\b/ },
  { weight: 100, pattern: /\b(?:command '[^']+' failed|unable to execute '[^']+'): No such file or directory/ },
  { weight: 100, pattern: /^env: .+: No such file or directory/ },
  {
    weight: 100,
    pattern:
      /\bC compiler\b.{0,300}\b(?:not found|cannot create executables|no acceptable)|\bno acceptable C compiler\b/i,
  },
  { weight: 100, pattern: /\blinker ['`]?\w+['`]? not found/ },
  { weight: 100, pattern: /\bcannot find -l\S+/ },
  { weight: 100, pattern: /\berror while loading shared libraries\b|\bcannot open shared object file\b/ },
  {
    weight: 100,
    pattern:
      /\bNo package '[^']{1,200}' found\b|\bPackage '[^']{1,200}'.{0,300} not found\b|\bPackage \S{1,200} was not found in the pkg-config\b/,
  },
  { weight: 100, pattern: /\bUnable to locate package\b|\bhas no installation candidate\b/ },
  { weight: 100, pattern: /^(?:Cannot find module|Error: Cannot find module|Module not found: )/ },
  {
    weight: 100,
    pattern: /\bcannot find package\b|\bno required module provides package\b|\bis not in (?:std|GOROOT)\b/,
  },
  { weight: 100, pattern: /\bImproperlyConfigured\b/ },
  // What does not fit together.
  { weight: 100, pattern: /\bexternally-managed-environment\b/ },
  { weight: 100, pattern: /\bCould not find a version that satisfies\b/ },
  { weight: 90, pattern: /\bNo matching distribution found\b/ },
  {
    weight: 100,
    pattern: /\bResolutionImpossible\b|\bCannot install .{1,500} because these package versions have conflicting/,
  },
  { weight: 100, pattern: /\brequires a different Python\b|\bRequires-Python\b.{0,300}\bnot\b|\brequires python\b/i },
  { weight: 100, pattern: /\bERESOLVE\b|\bEBADENGINE\b|\bUnsupported engine\b/ },
  {
    weight: 100,
    pattern:
      /\brequires go ?>= ?\d|\brequires rustc \d|\brust version .{1,300} (?:is not supported|required)|\bedition20\d\d\b.{0,300}\brequired/i,
  },
  { weight: 100, pattern: /\bthis version of Cargo is older than\b/ },
  { weight: 100, pattern: /\bunrecognized arguments?:/ },
  { weight: 95, pattern: /\bimport file mismatch\b|\bwhich is not the same as the test file\b/ },
  {
    weight: 100,
    pattern:
      /\bUnsupportedClassVersionError\b|\binvalid (?:target|source) release\b|\brelease version \d+ not supported\b/,
  },
  // What the machine refuses.
  { weight: 100, pattern: /\bConnection refused\b|\bECONNREFUSED\b|\bConnectionRefusedError\b/i },
  { weight: 100, pattern: /\bconnection to server (?:on socket|at)\b.{0,300}\bfailed\b/ },
  {
    weight: 100,
    pattern:
      /\bCould not resolve host\b|\bTemporary failure (?:in name resolution|resolving)\b|\bEAI_AGAIN\b|\bENOTFOUND\b|\bno such host\b/,
  },
  {
    weight: 100,
    pattern: /\bCERTIFICATE_VERIFY_FAILED\b|\bcertificate (?:verify failed|signed by unknown authority)\b/,
  },
  {
    weight: 100,
    pattern:
      /\bNo space left on device\b|\bCannot allocate memory\b|\bout of memory\b|\bJavaScript heap out of memory\b|\bOutOfMemoryError\b/i,
  },
  { weight: 95, pattern: /\bPermission denied\b|\bEACCES\b|\bOperation not permitted\b/ },
  {
    weight: 95,
    pattern: /\bCould not get lock\b|\bdpkg was interrupted\b|\bUnmet dependencies\b|\bunmet dependencies\b/,
  },
  // What compilers and builders say.
  { weight: 90, pattern: /^error\[E\d{4}\]:/ },
  { weight: 90, pattern: /\bundefined reference to\b/ },
  { weight: 90, pattern: /^(?:\S+:\d+(?::\d+)?: )(?:fatal )?error:/ },
  { weight: 90, pattern: /\.java:\[\d+,\d+\]/ },
  { weight: 90, pattern: /^\.?\/?[\w./-]+\.go:\d+:\d+: / },
  { weight: 90, pattern: /^\S+\.tsx?[(:]\d+[,:]\d+\)?:? (?:- )?error TS\d+/ },
  { weight: 85, pattern: /\bCMake Error\b|\bCould NOT find\b|\bmeson\.build:\d+:\d+: ERROR:/ },
  {
    weight: 85,
    pattern: /\bCould not resolve dependencies\b|\bCould not find artifact\b|\bCould not transfer artifact\b/,
  },
  { weight: 85, pattern: /^make(?:\[\d+\])?: \*\*\* No rule to make target\b|^make: \*\*\* No targets\b/ },
  { weight: 60, pattern: /\bFailed to execute goal\b/ },
  // Exceptions and plain complaints.
  {
    weight: 70,
    pattern: /^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure|Exit|Interrupt|Warning|NotFound)(?::|$)/,
  },
  { weight: 70, pattern: /^Exception in thread\b|^panic:|^thread '.*' panicked\b/ },
  { weight: 65, pattern: /^Error: .+\.$|^error: .+|^fatal: .+|^E: .+|^configure: error: .+/ },
  { weight: 60, pattern: /^(?:ERROR|Error|FATAL|FAILED|Failed)\b:? .+/ },
  { weight: 60, pattern: /^[\w./ -]{1,60}: (?:error|fatal)\b:? .+/i },
  { weight: 50, pattern: /^missing script: |^Missing script: |^404 Not Found\b|^ENOENT\b/i },
  { weight: 40, pattern: /^(?:not ok \d+|--- FAIL: |FAIL: |ERROR: )/ },
  { weight: 30, pattern: /^(?:Killed|Terminated|Segmentation fault|Aborted|Bus error)\b/ },
];
