import type { Flag, Problem } from '../contract/problem';
import { addedLines, type PatchSection, splitPatch } from './patch';
import { isPytestConfig } from './pytest-config';
import { hiddenPaths, isTestName, testRoots } from './test-files';

interface Inspection {
  /** Paths that the patch touches, relative to the work directory, as far as we can read it. */
  readonly touched: readonly string[];
  readonly flags: readonly Flag[];
  /** The patch without the files that no patch may bring. */
  readonly allowed: string;
  /** Paths left out of it. */
  readonly dropped: readonly string[];
}

/**
 * Reads a candidate's patch before any of it runs. What it may not bring is left out and flagged; the rest is graded as
 * it is, so an honest fix that also edited a test is judged by the fix. Lines that look like an attack on the judge are
 * flagged only: running decides.
 */
export function inspectPatch(patch: string, problem: Problem): Inspection {
  const flags: Flag[] = [];
  const touched = new Set<string>();
  const dropped = new Set<string>();
  const allowed: string[] = [];
  const refuse = refusals(problem);
  for (const section of splitPatch(patch)) {
    const paths = [section.from, section.to].filter((path): path is string => path !== null);
    for (const path of paths) touched.add(path);
    const found = refuse(section);
    flags.push(...found);
    if (found.length > 0) {
      for (const path of paths) dropped.add(path);
      continue;
    }
    flags.push(...suspiciousLines(section));
    allowed.push(section.text);
  }
  const text = allowed.join('\n');
  return {
    touched: [...touched],
    flags,
    allowed: text === '' || text.endsWith('\n') ? text : `${text}\n`,
    dropped: [...dropped],
  };
}

/** Whether a single path may be changed by a patch, for the paths that git reads from it. */
export function refusedPath(path: string, problem: Problem): Flag | undefined {
  return pathRule(path, problem, testRoots(problem), hiddenPaths(problem));
}

function refusals(problem: Problem): (section: PatchSection) => Flag[] {
  const [roots, hidden] = [testRoots(problem), hiddenPaths(problem)];
  return (section) => {
    const paths = new Set([section.from, section.to].filter((path): path is string => path !== null));
    const flags = [...paths].flatMap((path) => pathRule(path, problem, roots, hidden) ?? []);
    const at = section.to ?? section.from ?? '';
    if (section.modes.includes('160000')) flags.push({ kind: 'submodule', detail: at });
    if (section.modes.includes('120000') && section.to !== null) {
      const target = addedLines(section)[0] ?? '';
      if (leaves(section.to, target)) flags.push({ kind: 'symlink_out', detail: `${at} -> ${target}` });
    }
    if (section.from === null && section.to !== null && shadowsLibrary(section.to, roots)) {
      flags.push({ kind: 'shadows_library', detail: at });
    }
    return flags;
  };
}

function pathRule(
  path: string,
  problem: Problem,
  roots: readonly string[],
  hidden: readonly string[],
): Flag | undefined {
  const parts = path.split('/');
  const name = parts.at(-1)!;
  const flag = (kind: string): Flag => ({ kind, detail: path });
  if (path === '' || path.startsWith('/') || parts.includes('..')) return flag('outside_workdir');
  if (parts.some((part) => part.toLowerCase() === '.git') || name === '.gitmodules') return flag('touches_git');
  if (/^(sitecustomize|usercustomize)(\.|$)/.test(name) || name.endsWith('.pth') || name === 'pyvenv.cfg') {
    return flag('startup_hook');
  }
  if (problem.protected.some((own) => path === own || path.startsWith(`${own}/`))) return flag('touches_protected');
  if (/\.(pyc|pyo)$/.test(name) || parts.includes('__pycache__')) return flag('compiled_code');
  if (isPytestConfig(path)) return flag('touches_test_config');
  if (hidden.includes(path)) return flag('touches_test');
  if (isTestName(path) || roots.some((root) => path === root || path.startsWith(`${root}/`)))
    return flag('touches_test');
  return undefined;
}

/** Whether a link at `path` to `target` ends outside of the work directory. */
function leaves(path: string, target: string): boolean {
  if (target.startsWith('/')) return true;
  let depth = path.split('/').length - 1;
  for (const part of target.split('/')) {
    if (part === '..') depth--;
    else if (part !== '' && part !== '.') depth++;
    if (depth < 0) return true;
  }
  return target.split('/').some((part) => part.toLowerCase() === '.git');
}

/** What pytest or our witness imports, and what is found before it when the work directory comes first on the path. */
const FRAMEWORK = [
  'pytest',
  '_pytest',
  'pluggy',
  'iniconfig',
  'packaging',
  'pygments',
  'exceptiongroup',
  'tomli',
  'py',
  'attr',
  'xdist',
  'execnet',
  'coverage',
  'pytest_cov',
];
const STANDARD =
  '__future__ abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmd code codecs collections colorsys concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis doctest email encodings enum errno faulthandler filecmp fileinput fnmatch fractions functools gc genericpath getopt getpass gettext glob gzip hashlib heapq hmac html http imp importlib inspect io ipaddress itertools json keyword linecache locale logging lzma marshal math mimetypes multiprocessing ntpath numbers opcode operator os pathlib pdb pickle pkgutil platform plistlib posixpath pprint pstats pyexpat queue quopri random re reprlib resource runpy sched secrets select selectors shelve shlex shutil signal site socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess symtable sysconfig tarfile tempfile textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc types typing unicodedata unittest urllib uuid venv warnings weakref webbrowser xml xmlrpc zipfile zipimport zlib zoneinfo'.split(
    ' ',
  );
const NAMES = new Set([...FRAMEWORK, ...STANDARD]);

/**
 * Whether a new file would be imported instead of the test framework or the standard library: such a name at the top of
 * a folder that Python searches (the work directory, `src`, `lib`, a test folder). `package/json.py` is nobody's shadow.
 */
export function shadowsLibrary(path: string, testRoots: readonly string[]): boolean {
  return ['', 'src', 'lib', ...testRoots].some((root) => {
    if (root !== '' && !path.startsWith(`${root}/`)) return false;
    const [first, second] = (root === '' ? path : path.slice(root.length + 1)).split('/');
    const stem = first!.split('.')[0]!;
    const importable = second !== undefined || /\.(py|pyc|so|pyd)$/.test(first!);
    return importable && NAMES.has(stem);
  });
}

/** What code that fixes a bug has little reason to name. Seldom wrong, never proof: it flags and decides nothing. */
const PATTERNS: readonly [kind: string, pattern: RegExp][] = [
  [
    'ends_process',
    /\bos\._exit\b|\bos\.(kill|killpg|abort)\b|\bsignal\.(alarm|setitimer|raise_signal)\b|\bpytest\.exit\b/,
  ],
  ['names_test_framework', /\b_pytest\b|\bpytest\b|\bpluggy\b|\bunittest\b|\bPYTEST_[A-Z_]+\b/],
  [
    'alters_imports',
    /\bsys\.(modules|meta_path|path_hooks|path_importer_cache)\b|\bimportlib\.(machinery|abc)\b|__import__/,
  ],
  [
    'alters_builtins',
    /\bbuiltins\b|__builtins__|\b(sys\.settrace|sys\.setprofile|threading\.settrace|threading\.setprofile)\b/,
  ],
  ['hooks_exit', /\batexit\b|\bsys\.excepthook\b|\bthreading\._shutdown\b|\bweakref\.finalize\b/],
  [
    'walks_interpreter',
    /\bgc\.get_(objects|referrers|referents)\b|\binspect\.(stack|currentframe|getouterframes)\b|\bsys\._getframe\b|\.f_back\b|\.f_globals\b|\.f_locals\b|\bctypes\b|\.__code__\b|\bsys\._current_frames\b/,
  ],
  [
    'starts_process',
    /\bos\.(fork|system|popen|spawn\w*|exec\w*|posix_spawn\w*)\b|\bsubprocess\b|\bmultiprocessing\b|start_new_session|\bsetsid\b/,
  ],
  ['reads_process_state', /\/proc\/|\/dev\/fd\b|\bos\.(fdopen|dup2?)\b/],
  ['equals_everything', /def __(eq|ne|hash|bool)__\b/],
  ['names_tests', /\btest_[a-z0-9_]+\b|(^|["'/])tests?\//],
];

/** At most one flag of a kind a file, with the line. */
function suspiciousLines(section: PatchSection): Flag[] {
  const path = section.to ?? section.from ?? '';
  if (!/\.(py|pyx|pyi|cfg|toml|ini|sh|c|h)$/.test(path)) return [];
  const added = addedLines(section);
  return PATTERNS.flatMap(([kind, pattern]) => {
    const line = added.find((text) => pattern.test(text));
    return line === undefined ? [] : [{ kind, detail: `${path}: ${line.trim().slice(0, 160)}` }];
  });
}
