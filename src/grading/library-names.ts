/** What test runners import, beside the standard library. */
const FRAMEWORK =
  'pytest _pytest pluggy iniconfig packaging pygments exceptiongroup tomli py attr attrs xdist execnet coverage pytest_cov hypothesis nose nose2 unittest2 tox nox trial anyio mock';
const STANDARD =
  '__future__ abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmd code codecs collections colorsys concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime decimal difflib dis doctest email encodings enum errno faulthandler filecmp fileinput fnmatch fractions functools gc genericpath getopt getpass gettext glob gzip hashlib heapq hmac html http imp importlib inspect io ipaddress itertools json keyword linecache locale logging lzma marshal math mimetypes multiprocessing ntpath numbers opcode operator os pathlib pdb pickle pkgutil platform plistlib posixpath pprint pstats pyexpat queue quopri random re reprlib resource runpy sched secrets select selectors shelve shlex shutil signal site socket socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess symtable sysconfig tarfile tempfile textwrap threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc types typing unicodedata unittest urllib uuid venv warnings weakref webbrowser xml xmlrpc zipfile zipimport zlib zoneinfo';
const NAMES = new Set(`${FRAMEWORK} ${STANDARD}`.split(' '));

/** Whether a module's first name is one of the standard library or of what test runners import. */
export function isLibrary(name: string): boolean {
  return NAMES.has(name);
}

/**
 * Whether a file would be imported instead of the test framework or the standard library: such a name at the top of one of
 * the folders that Python searches. `package/json.py` is nobody's shadow. A link stands for the module or folder that it
 * is named after.
 */
export function shadowsLibrary(path: string, folders: readonly string[], isLink = false): boolean {
  return folders.some((folder) => {
    if (folder !== '' && !path.startsWith(`${folder}/`)) return false;
    const [first = '', second] = (folder === '' ? path : path.slice(folder.length + 1)).split('/');
    const importable = second !== undefined || isLink || /\.(py|pyc|pyw|so|pyd)$/.test(first);
    return importable && isLibrary(first.split('.')[0]!);
  });
}
