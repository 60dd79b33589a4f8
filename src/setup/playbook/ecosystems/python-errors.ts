import { NO_MODULE } from '../../missing-module';
import { normalName } from '../../repository/requirement';
import type { Project, Reader } from '../goal';
import { PARTS_OF_PYTHON } from '../tables/debian';
import { NOT_BROUGHT } from '../worlds';
import { MISSING_MODULES, modulesOfBuild } from './build-errors';
import { missingPart } from './python-namespaces';
import { isKnownElsewhere } from './python-requirements';
import { RUST_VERSION } from './rust-toolchain';

/** Modules of Python 2: a program that imports them unguarded needs another interpreter, which nobody can install for this one. */
const ANCIENT =
  /^(UserDict|UserList|StringIO|cStringIO|ConfigParser|Queue|urllib2|urlparse|httplib|__builtin__|cPickle|commands|exceptions|thread|SocketServer|BaseHTTPServer|HTMLParser|htmlentitydefs|xmlrpclib|cookielib|Cookie|dummy_thread|_winreg|winreg|msvcrt|test|tests|conftest)$/;

/** Of the standard library, whose parts in C are the interpreter's to bring: what a registry has under such a name is something else. */
const STANDARD =
  /^(asyncio|bz2|ctypes|curses|dbm|distutils|ensurepip|gdbm|hashlib|idlelib|lzma|multiprocessing|pip|pkg_resources|readline|setuptools|socket|sqlite3|ssl|tkinter|turtle|unittest|uuid|venv|zlib|zoneinfo)$/;

/** The project's own modules are never taken from elsewhere: tests would pass on somebody else's build of it. */
function isOwn(module: string, project: Project): boolean {
  const root = module.split('.')[0]!;
  const { facts } = project;
  if (!facts.modules.includes(root) && normalName(root) !== normalName(facts.name ?? '')) return false;
  return missingPart(module, project) === null;
}

/** Something that a registry may bring: no module of the project, nor a helper that lies beside its tests, nor a private one. */
function foreign(found: RegExpMatchArray, project: Project): string | null {
  const module = found[1]!;
  const root = module.split('.')[0]!;
  if (root.startsWith('_') || isOwn(module, project)) return null;
  if (ANCIENT.test(root) || STANDARD.test(root) || GONE_MODULE.test(root)) return null;
  const part = missingPart(module, project);
  if (part !== null) return part;
  return liesBeside(root, project) ? null : module;
}

/**
 * A file of the tree that its bare name may mean, where its folder is on the path. Within a package of the project, outside of
 * tests, it has the package's name before it; there only a name that is known to be somebody else's is taken for that.
 */
function liesBeside(root: string, project: Project): boolean {
  const { survey, facts } = project;
  const names = facts.modules.filter((name) => /^\w+$/.test(name)).join('|') || '-';
  const packaged = new RegExp(`^(?:(?:src|lib|python)/)?(?:${names})/`);
  const inTests = /(?:^|\/)(?:tests?|testing)\//;
  const meant = survey.paths.filter(
    (path) => `/${path}`.endsWith(`/${root}.py`) || `/${path}`.endsWith(`/${root}/__init__.py`),
  );
  if (meant.some((path) => !packaged.test(path) || inTests.test(path))) return true;
  return meant.length > 0 && !isKnownElsewhere(root, project);
}

/** From the step of a build that failed to what it says, so that a module that the build needs is told from one that tests need. */
const BUILDING =
  '(?:Getting requirements to build \\w+|Preparing (?:editable )?metadata|Building (?:editable|wheel)|setup\\.py (?:egg_info|develop|bdist_wheel|install|clean))[^\\n]*did not run successfully';

const MISSING = new RegExp(NO_MODULE, 'g');

/** Modules that Python had until 3.11 and until 3.12. What a registry has under such a name is something else. */
const UNTIL_3_11 = 'imp|asyncore|asynchat|smtpd';
const UNTIL_3_12 = 'audioop|cgi|cgitb|chunk|crypt|imghdr|lib2to3|nntplib|pipes|sndhdr|spwd|sunau|telnetlib|uu|xdrlib';
const GONE_MODULE = new RegExp(`^(?:${UNTIL_3_11}|${UNTIL_3_12})$`);

/** What Python took out of its library, by the condition on releases that still have it. */
const GONE: readonly (readonly [condition: string, said: RegExp])[] = [
  [
    '<3.10',
    /cannot import name '(?:Mapping|MutableMapping|Sequence|MutableSequence|Set|MutableSet|Iterable|Iterator|Callable|Hashable|Sized|Container)' from 'collections'|module 'collections' has no attribute '(?:[A-Z]\w+)'/g,
  ],
  [
    '<3.11',
    /module 'inspect' has no attribute '(?:getargspec|formatargspec)'|cannot import name '(?:getargspec|formatargspec)' from 'inspect'|module 'asyncio' has no attribute 'coroutine'|cannot import name 'coroutine' from 'asyncio'|invalid mode: 'r?Ub?'|mutable default <class '[^']+'> for field \w+ is not allowed/g,
  ],
  [
    '<3.12',
    new RegExp(
      `No module named '(?:${UNTIL_3_11})'|module 'pkgutil' has no attribute 'ImpImporter'|(?:module 'configparser' has no attribute|cannot import name) 'SafeConfigParser'`,
      'g',
    ),
  ],
  ['<3.13', new RegExp(`No module named '(?:${UNTIL_3_12})'|module 'locale' has no attribute 'resetlocale'`, 'g')],
];

/** Where the words of others are what fails, other versions of them help, and no older interpreter is needed. */
const OF_OTHERS = /\b(?:site|dist)-packages\//;

const goneFromPython: readonly Reader[] = GONE.map(([condition, pattern]) => ({
  cause: 'python-gone',
  pattern,
  what: ({ input = '', index = 0 }) => {
    const place = [...input.slice(Math.max(0, index - 2000), index).matchAll(/(?<!\S)\S+\.py\b/g)].at(-1)?.[0] ?? '';
    return OF_OTHERS.test(place) ? null : condition;
  },
}));

/** An installer's words for a distribution that it cannot bring. */
const NOT_TO_BE_HAD = new RegExp(NOT_BROUGHT.map(({ source }) => source).join('|'), 'gm');

export const pythonReaders: readonly Reader[] = [
  { cause: 'externally-managed', pattern: /error: externally-managed-environment/g },
  { cause: 'ensurepip', pattern: /ensurepip is not available/g },
  {
    cause: 'vcs-version',
    pattern:
      /unable to detect version for|setuptools[-_]scm was unable|Versioning for this project requires either an sdist|no version found from VCS|Unable to determine (?:the )?version|Can't (?:find|determine) version|failed to (?:detect|get) version from (?:git|vcs)|Cannot find any tags|VCS version/gi,
  },
  { cause: 'pkg-resources', pattern: /No module named '?pkg_resources\b/g },
  {
    cause: 'interpreter-module',
    pattern: MISSING,
    what: ([, module]) => (Object.hasOwn(PARTS_OF_PYTHON, module!.split('.')[0]!) ? module!.split('.')[0]! : null),
  },
  { cause: 'rust-version', pattern: RUST_VERSION, what: () => '' },
  { cause: 'python-version', pattern: /requires a different Python: \S+ not in '([^']+)'/g },
  ...goneFromPython,
  {
    cause: 'setuptools',
    pattern:
      /No module named '?setuptools|No module named '?distutils|Cannot import 'setuptools\.build_meta'|BackendUnavailable[^\n]*setuptools/g,
  },
  {
    cause: 'build-module',
    pattern: new RegExp(`${BUILDING}[\\s\\S]{0,6000}?No module named '([\\w.]+)'`, 'g'),
    what: foreign,
  },
  { cause: 'build-module', pattern: MISSING_MODULES, what: modulesOfBuild },
  {
    cause: 'build-module',
    pattern: /(?:BackendUnavailable|Cannot import)[^\n']{0,300}'([\w.]{1,200})'/g,
    what: foreign,
  },
  {
    cause: 'no-editable',
    pattern:
      /missing the 'build_editable' hook|editable (?:mode|installs?) (?:is|are) not (?:currently )?supported|does not (?:support|implement|have)[^\n]{0,60}(?:editable|PEP 660)|editable mode currently requires|build_editable'?[^\n]{0,60}(?:not (?:found|implemented|supported)|missing)/gi,
  },
  {
    // What an editable install of such back ends puts in place builds again whenever it is imported, with tools that are gone by then.
    cause: 'no-editable',
    pattern:
      /_editable_loader\.py|re-building the \S+ (?:meson-python )?editable|_editable_redirect|editable\.rebuild|_editable_skbc_\w+\.py/g,
  },
  {
    cause: 'no-package',
    pattern:
      /No file\/folder found for (?:package|module)|Multiple top-level (?:packages|modules) discovered in a flat-layout|Unable to determine which files to ship inside the wheel|Expected a Python module at|does not contain any element|No module or package could be found|Could not find a package or module/g,
    what: () => '',
  },
  {
    cause: 'pin',
    pattern: NOT_TO_BE_HAD,
    what: (found, { facts }) => {
      const name = normalName(found.slice(1).find((group) => group !== undefined)!);
      return name === normalName(facts.name ?? '') ? null : name;
    },
  },
  { cause: 'own-module', pattern: MISSING, what: (found, project) => (isOwn(found[1]!, project) ? found[1]! : null) },
  { cause: 'cython-sources', pattern: /(?:Cython\.Compiler|Cython is required|requires Cython|install Cython)/gi },
  { cause: 'module', pattern: MISSING, what: foreign },
  {
    cause: 'module',
    pattern:
      /(?:ImportError|RuntimeError|ModuleNotFoundError|Error importing plugin)[^\n]*?\b(?:install|requires?|needs?)(?: the)? [`'"]?(?:pip install )?([A-Za-z][\w-]+)[`'"]?(?: package| module| to )/g,
    what: foreign,
  },
  {
    // The advice below the error.
    cause: 'module',
    pattern: /Error: [^\n]{1,400}\n(?:E? [^\n]{0,200}\n){0,2}E? *(?:\$ ?)?pip3? install ['"]?([A-Za-z][\w-]{0,100})/g,
    what: foreign,
  },
  // A part of it that lives on its own.
  {
    cause: 'module',
    pattern: /ImportError: [^\n]*\bis now a separate (?:project|package) ([A-Za-z][\w-]+)/g,
    what: foreign,
  },
  { cause: 'pytest-option', pattern: /error: unrecognized arguments: ([^\n]+)/g },
  { cause: 'pytest-option', pattern: /error: (?:argument|ambiguous option)[^\n]*?(--[\w-]+)/g },
  {
    cause: 'pytest-plugin',
    pattern: /[Mm]issing required plugins: ([^\n]+)/g,
    what: (found) => found[1]!.replace(/\s/g, ''),
  },
  {
    cause: 'pytest-version',
    pattern: /'minversion' requires pytest-(\d[\w.]*)/g,
    what: (found) => `>=${found[1]}`,
  },
  { cause: 'pytest-version', pattern: /\brequires pytest ?([<>=!~]=?\d[\d.]*(?:,[<>=!~]=?\d[\d.]*)*)/g },
  { cause: 'pytest-key', pattern: /\bUnknown config option: ([\w-]+)/g },
  {
    // A hook of the project's own that takes a py.path, of which pytest 8 warns.
    cause: 'pytest-removed',
    pattern:
      /Argument\(s\) \{[^{}]{0,300}'(?:path|fspath|startdir)'[^{}]{0,300}\} are declared in the hookimpl but can not be found/g,
    what: () => '9',
  },
  { cause: 'pytest-plugin-broken', pattern: /PluginValidationError: Plugin '([^']+)'/g },
  { cause: 'pytest-fixture', pattern: /fixture '(\w+)' not found/g },
  { cause: 'pytest-marker', pattern: /'(\w+)' not found in `markers` configuration option/g },
  { cause: 'pytest-removed', pattern: /PytestRemovedIn(\d+)Warning/g },
  {
    cause: 'pytest-async',
    pattern:
      /async def functions are not natively supported|You need to install a suitable plugin for your async framework/g,
  },
  {
    cause: 'django-settings',
    pattern: /(?:ImproperlyConfigured|settings are not configured)[^\n]{0,300}(?:DJANGO_SETTINGS_MODULE|settings)/g,
  },
  { cause: 'django-settings', pattern: /Could not import settings '[^']*'/g, what: () => '' },
  {
    cause: 'django-settings',
    pattern: /No module named '([\w.]{0,200}settings[\w.]{0,200})'/g,
    what: (_, { survey }) =>
      Object.values(survey.texts).some((text) => text.includes('DJANGO_SETTINGS_MODULE')) ? '' : null,
  },
  { cause: 'django-apps', pattern: /AppRegistryNotReady/g },
  { cause: 'pythonpath', pattern: /No module named '?(tests?)(?:[.'\s]|$)/g },
  {
    cause: 'command',
    pattern:
      /can't find Rust compiler|Cargo, the Rust package manager, is not installed|(?:Rust toolchain|rustc)[^\n]{0,300}not found/g,
    what: () => 'cargo',
  },
  {
    cause: 'command',
    pattern: /Can not find valid pkg-config name[\s\S]{0,80}MYSQLCLIENT/g,
    what: () => 'mysql_config',
  },
  { cause: 'magic', pattern: /failed to find libmagic/g },
  {
    cause: 'no-tests',
    pattern:
      /^(?:=* ?)no tests (?:ran|collected)\b|^Ran 0 tests|collected 0 items$|NO TESTS RAN|^\S*python[\d.]*: can't open file /gm,
  },
  {
    cause: 'requirements',
    pattern:
      /subprocess-exited-with-error|metadata-generation-failed|Failed (?:building (?:wheel|editable)|to build)|ResolutionImpossible|conflicting dependencies|No matching distribution found|Could not find a version that satisfies|Could not open requirements file|Invalid requirement|invalid-installed-package|Could not build wheels/g,
    what: () => '',
  },
];
