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
