import { MISSING_PROGRAM, missingProgram } from '../../missing-program';
import { isSystemPackage, wordsOf } from '../../repository/system-packages';
import type { Project, Reader } from '../goal';
import { buildErrors } from './build-errors';

/** Shell words that no package brings, and tools that an ecosystem's own remedies bring. */
const NO_PROGRAM = /^(-|\/|\.|[A-Z_]+=)|^(sh|bash|cd|export|source|line|activate|module|sudo)$|[^\w.+-]/;

const program = (name: string): string | null => {
  const base = name
    .split('/')
    .at(-1)!
    .replace(/^(?:x86_64|aarch64)-linux-gnu-/, '')
    .replace(/(?<!['"`:,])['"`:,]+$/, '');
  return NO_PROGRAM.test(base) || base === '' ? null : base;
};
const asProgram = (found: RegExpMatchArray) => program(found[1]!);

/** The compilers behind `gcc`, which starts one for each language. */
const BACKENDS: Readonly<Record<string, string>> = { cc1: 'gcc', cc1plus: 'g++', f951: 'gfortran' };

const SERVICE_PORTS: Readonly<Record<string, string>> = {
  '5432': 'postgres',
  '6379': 'redis',
  '11211': 'memcached',
  '3306': 'mysql',
  '5672': 'rabbitmq',
};
const serviceOfPort = (found: RegExpMatchArray) => SERVICE_PORTS[found[1]!] ?? null;
/** A refused connection says nothing of the port in many clients: then the only service that the project speaks of is meant. */
const KNOWN = Object.values(SERVICE_PORTS);

/** The folder of a file of the project that is not there and that a makefile beside it may build; null for any other. */
const makefileOf = (found: RegExpMatchArray, { workdir, survey }: Project): string | null => {
  const folder = found[1]!.slice(0, found[1]!.lastIndexOf('/'));
  const inside = folder.startsWith(`${workdir}/`) ? folder.slice(workdir.length + 1) : null;
  return inside !== null && survey.paths.includes(`${inside}/Makefile`) ? inside : null;
};

/** Packages that an error advises, as far as they look like packages. */
const advised = (found: RegExpMatchArray): string | null => {
  const words = wordsOf(found[1]!);
  const names = words.filter((word) => isSystemPackage(word) && (words.length === 1 || /[-\d]|^lib/.test(word)));
  return names.length > 0 ? names.join(',') : null;
};

/** What can be missing whatever the language: programs, headers, libraries, locales, services. */
export const errors: readonly Reader[] = [
  { cause: 'command', pattern: /(?:^|: )(?:line \d+: )?([^\s:]+): (?:command )?not found\b/gm, what: asProgram },
  { cause: 'command', pattern: /^[ \t]*'([^'\n]+)' not found\.?$/gm, what: asProgram },
  { cause: 'command', pattern: MISSING_PROGRAM, what: (found) => program(missingProgram(found)) },
  { cause: 'command', pattern: /command '([^']+)' failed: No such file or directory/g, what: asProgram },
  { cause: 'command', pattern: /\[Errno 2\] No such file or directory: '([a-z][\w+-]*)'/g, what: asProgram },
  { cause: 'command', pattern: /exec: "([^"]+)": executable file not found/g, what: asProgram },
  {
    cause: 'command',
    pattern:
      /\b(pg_config|mysql_config|curl-config|xml2-config|xslt-config|llvm-config|gdal-config|krb5-config|geos-config)\b[^\n]{0,300}(?:not found|not exist|could not|couldn't|missing|is required|Unable)/gi,
    what: asProgram,
  },
  { cause: 'command', pattern: /[Ff]ailed to execute (?:PosixPath\()?\[?['"]([\w.+-]+)['"]/g, what: asProgram },
  {
    cause: 'command',
    pattern:
      /missing Git command|\bgit: executable(?: file)? not found|git is not installed or not in the PATH|could not find git for clone/gi,
    what: () => 'git',
  },
  { cause: 'command', pattern: /make(?:\[\d+\])?: ([\w.+-]+): No such file or directory/g, what: asProgram },
  { cause: 'command', pattern: /spawn ([\w.+-]+) ENOENT/g, what: asProgram },
  { cause: 'command', pattern: /is ['`"]([\w.+-]+)['`"] not installed\?/g, what: asProgram },
  { cause: 'command', pattern: /linker `([\w.+-]+)` not found/g, what: asProgram },
  {
    cause: 'command',
    pattern: /cannot execute [‘'`](cc1|cc1plus|f951)[’']/g,
    what: (found) => BACKENDS[found[1]!]!,
  },
  { cause: 'command', pattern: /no acceptable C compiler found/g, what: () => 'gcc' },
  {
    cause: 'command',
    pattern: /(?:No CMAKE_CXX_COMPILER could be found|C\+\+ compiler (?:cannot|not found))/g,
    what: () => 'g++',
  },
  {
    cause: 'command',
    pattern: /(?:No CMAKE_C_COMPILER could be found|Unknown compiler\(s\): \[\['cc')/g,
    what: () => 'gcc',
  },
  { cause: 'command', pattern: /Program '?([\w.+-]+)'? (?:not found or not executable|found: NO)/g, what: asProgram },
  {
    cause: 'command',
    pattern:
      /(?:you need to install|please install|requires) (?:the )?[`'"]?(gettext|autopoint|libtool|bison|flex|swig|m4|perl|nasm|gperf|protoc|cmake|ninja)\b/gi,
    what: (found) => found[1]!.toLowerCase(),
  },
  {
    cause: 'header',
    pattern: /(?:fatal )?error: ([\w./+-]+\.h(?:pp|xx)?|iostream|vector|string): No such file or directory/g,
  },
  // C++ has headers without an ending: Eigen/Dense.
  { cause: 'header', pattern: /fatal error: ([\w+-]+(?:\/[\w+-]+)+): No such file or directory/g },
  { cause: 'header', pattern: /fatal error: '([^']+)' file not found/g },
  { cause: 'library', pattern: /\blib(\w+?)\d? (?:and \w+ )?development (?:packages|files|headers)/g },
  { cause: 'library', pattern: /\band lib(\w+) development (?:packages|files|headers)/g },
  { cause: 'library', pattern: /headers or library files could not be found for (\w+)/g },
  { cause: 'library', pattern: /cannot find -l([\w.+-]+)/g },
  {
    cause: 'shared-library',
    pattern:
      /(?:ImportError|OSError|error while loading shared libraries|cannot open shared object file)[^\n]{0,400}?\blib([\w+-]{1,80}?(?:-\d[\d.]{0,20})?)\.so(?:\.\d+)*\b/g,
  },
  {
    cause: 'shared-library',
    pattern:
      /\b(?:[Cc]ould not|[Cc]annot|[Cc]an't|[Ff]ailed to|[Uu]nable to) (?:load|find|locate|open) (?:the )?(?:(?:shared|dynamic) )?(?:library )?['"‘`]?lib(?!rar(?:y|ies)\b|tool)([\w+-]*\w)(?![\w+-]*(?:\.\d+)*\.(?:dll|dylib))\b/g,
  },
  { cause: 'unbuilt', pattern: /(?<![\w./+-])(\/[\w./+-]+): cannot open shared object file/g, what: makefileOf },
  { cause: 'unbuilt', pattern: /No such file or directory: '(\/[\w./+-]+)'/g, what: makefileOf },
  ...buildErrors,
  {
    cause: 'locale',
    pattern: /unsupported locale setting(?:[^\n]*?\b([a-z]{2}_[A-Z]{2})\b)?/g,
    what: (found) => found[1] ?? 'en_US',
  },
  {
    cause: 'locale',
    pattern:
      /(?:cannot change locale|locale)[^\n]{0,200}?\(?([a-z]{2}_[A-Z]{2})\.[Uu][Tt][Ff]-?8\)?[^\n]*(?:No such file|not (?:found|available|installed))/g,
  },
  {
    cause: 'encoding',
    pattern: /UnicodeDecodeError: 'ascii' codec|RuntimeError: Click will abort further execution because Python/g,
  },
  {
    cause: 'git-repository',
    pattern: /fatal: not a git repository|InvalidGitRepositoryError|not a git (?:repo|checkout|working)/gi,
  },
  {
    cause: 'git-identity',
    pattern: /Please tell me who you are|unable to auto-detect email address|empty ident name/g,
  },
  { cause: 'database', pattern: /(?:FATAL: +)?database "([\w-]+)" does not exist/g },
  { cause: 'database-server', pattern: /\b(?:pg_ctl|initdb|postgres): (?:error: )?cannot be run as root\b/g },
  { cause: 'database-role', pattern: /(?:FATAL: +)?role "([\w-]+)" does not exist/g },
  {
    cause: 'service',
    pattern:
      /(?:\.s\.PGSQL\.|port[ =:]+|(?:localhost|127\.0\.0\.1|::1|\[::1\])[^\n\d]{1,12})(5432|6379|11211|3306|5672)\b/g,
    what: serviceOfPort,
  },
  {
    cause: 'service',
    pattern: /Connection ?refused|ECONNREFUSED|Could not connect to (?:server|redis|memcached|mysql|postgres)/gi,
    what: (_, { facts }) => {
      const spoken = facts.serviceHints.filter((hint) => KNOWN.includes(hint));
      return spoken.length === 1 ? spoken[0]! : null;
    },
  },
  {
    cause: 'certificates',
    pattern:
      /unable to get local issuer certificate|certificate verify failed: unable to get|x509: certificate signed by unknown authority/g,
  },
  { cause: 'advice', pattern: /\b(?:apt|apt-get|aptitude) install (?:-\S+ )*([a-z0-9][^\n;&|`]*)/g, what: advised },
  { cause: 'interrupted-packages', pattern: /dpkg was interrupted/g },
  { cause: 'locked-packages', pattern: /E: (?:Could not get lock|Unable to (?:acquire|lock))/g },
  {
    cause: 'stale-packages',
    pattern: /E: Failed to fetch [^\n]{0,500}404 {2}Not Found|maybe run apt-get update/g,
    what: () => '',
  },
  { cause: 'unmet-packages', pattern: /have unmet dependencies|you have held broken packages/g, what: () => '' },
  // Said by every failure: what the repository has apt install is worth a look when nothing else is left.
  { cause: 'documented', pattern: /^/, what: (_, { name }) => name },
  // Said by every failure too: what fails today may not have failed on its day.
  { cause: 'of-another-day', pattern: /^/, what: () => '' },
  // Comes last, because other versions of everything cost the most.
  { cause: 'error', pattern: /\b[A-Z]\w*(?:Error|Warning)\b|INTERNALERROR>/g, what: () => '' },
];
