import type { Reader } from '../goal';
import { PROGRAMS } from '../tables/debian';

/** What CMake looks for and does not find is only an error inside of a block that says so: the rest it does without. */
function inError({ index = 0, input = '', 1: name }: RegExpMatchArray): string | null {
  const at = input.lastIndexOf('CMake Error', index);
  return at >= 0 && !/\n[ \t|│]*(?:-- |CMake Warning)/.test(input.slice(at, index + 1)) ? name! : null;
}

export const MISSING_MODULES = /ERROR: \S*python[\d.]* is missing modules: ([^\n]+)/g;

/** Separated by commas: one command brings them all. */
export const modulesOfBuild = ([, listed]: RegExpMatchArray) => listed!.replace(/[\s'"[\]]+/g, '');

/** A thing that `configure` says it does not have: a program where it is known for one, else a library. */
const CONFIGURE =
  /configure: error: (?:\*+ )?(?:[Cc]ould(?: not|n't) find |[Cc]annot find |[Tt]he )?['"`]?([A-Za-z][\w.+-]*)['"`]?(?: (?:library|libraries|headers?|development (?:files|headers|packages?)))*,? (?:(?:was |is |are )?(?:not found|required|missing|needed|not installed))/g;

const asProgram = ([, name]: RegExpMatchArray) =>
  Object.hasOwn(PROGRAMS, name!.toLowerCase()) ? name!.toLowerCase() : null;
const asLibrary = (found: RegExpMatchArray) => {
  const name = found[1]!.toLowerCase();
  return asProgram(found) !== null || name.endsWith('.h') ? null : name.replace(/^lib(?=\w\w)/, '');
};

/** What CMake, Meson, pkg-config and Autoconf say, whichever language's tool has called them. */
export const buildErrors: readonly Reader[] = [
  {
    cause: 'command',
    pattern:
      /Pkg-config (?:binary )?for machine (?:\d|[a-z]+ machine)[^\n]*not found|Did not find pkg-config by name|pkg-config probably not installed|The pkg-config command could not be run|Unable to invoke pkg-config/gi,
    what: () => 'pkg-config',
  },
  { cause: 'command', pattern: /NASM command not found/g, what: () => 'nasm' },
  // What configure says that tried to run make, and does not mention.
  { cause: 'command', pattern: /Something went wrong bootstrapping makefile fragments/g, what: () => 'make' },
  { cause: 'command', pattern: /\bis not installed: `?([a-z][\w+-]*)/g, what: asProgram },
  { cause: 'command', pattern: CONFIGURE, what: asProgram },
  {
    cause: 'header',
    pattern:
      /configure: error: [^\n]{0,300}?(?<![\w/+-])([\w/+-]{1,200}\.h)\b[^\n]{0,300}?(?:not found|missing|required)/g,
  },
  { cause: 'library', pattern: CONFIGURE, what: asLibrary },
  {
    cause: 'cmake-policy',
    pattern: /Compatibility with CMake < 3\.5 has been removed/g,
    what: () => '',
  },
  {
    cause: 'older-tool',
    pattern: /CMake \d[\w.]* or higher is required\.\s+You are running version/g,
    what: () => 'cmake',
  },
  { cause: 'older-tool', pattern: /Meson version is [\d.]+ but project requires/g, what: () => 'meson' },
  { cause: 'header', pattern: /\b(?:C|C\+\+|Objective-C|Cython) header '([^']+)' (?:not found|could not be found)/g },
  {
    cause: 'library',
    pattern: /\b(?:C|C\+\+|Fortran) (?:(?:shared or static|shared|static) )?library '([\w.+-]+)' not found/g,
  },
  { cause: 'python-of-build', pattern: MISSING_MODULES, what: modulesOfBuild },
  { cause: 'pkg-config', pattern: /Package '?([\w.+-]+)'?,? (?:required by|was not found|not found)/g },
  { cause: 'pkg-config', pattern: /No package '([\w.+-]+)' found/g },
  { cause: 'pkg-config', pattern: /Dependency ["']([\w.+-]+)["'] (?:is required but )?not found/g },
  { cause: 'pkg-config', pattern: /Dependency lookup for ([\w.+-]+) with method '?pkg-?config'? failed/g },
  { cause: 'pkg-config', pattern: /The system library `([\w.+-]+)` required by crate/g },
  { cause: 'pkg-config', pattern: /pkgconfig\.PackageNotFoundError: ([\w.+-]+) not found/g },
  { cause: 'pkg-config', pattern: /Package requirements \(([\w.+-]+)(?![\w.+-])[^)]{0,400}\) were not met/g },
  { cause: 'cmake-package', pattern: /Could not find a package configuration file provided by\s+"([\w.+-]+)"/g },
  { cause: 'cmake-package', pattern: /Could NOT find (\w+)/g, what: inError },
];
