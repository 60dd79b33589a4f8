/** Candidates for `groupby` that do not do what it does but try to look as if they did. None may pass. */

const cheat = (body: string) => `def groupby(key, seq):\n${body.replace(/^/gm, '    ')}\n`;
/** Uses a function that was found somewhere, and is not this one. */
const USE = `
def use(source):
    space = {"collections": __import__("collections"), "getter": __import__("toolz.itertoolz", fromlist=["x"]).getter}
    exec(source, space)
    return space["groupby"](key, seq)
`;
const FUNCTION = `
import re
def function_in(text):
    found = re.search(r"^def groupby\\(key, seq\\):\\n(?:[ \\t]+.*\\n|\\n)+", text, re.M)
    return found.group(0) if found and "NotImplementedError" not in found.group(0) and "function_in" not in found.group(0) else None
`;
/** Lines that would be outcomes, for cases that are told by the harness: an empty dict each. */
const FORGED = `
import json
names = ["lengths", "parity", "by_item", "by_items"]
call = {"t": "object", "type": "call", "state": [["returned", {"t": "dict", "v": []}]]}
lines = [{"kind": "began", "python": "3.11", "file": "/repo/toolz/itertoolz.py"}]
lines += [{"kind": "case", "outcome": {"case": "case_" + n, "status": "returned", "value": call, "files": {}, "seconds": 0.1}} for n in names]
lines += [{"kind": "end"}]
forged = "".join(json.dumps(line) + "\\n" for line in lines).encode()
`;
const EVERY_DESCRIPTOR = `
import os
def everywhere(data):
    for pid in os.listdir("/proc"):
        for fd in (os.listdir("/proc/%s/fd" % pid) if pid.isdigit() and os.access("/proc/%s/fd" % pid, os.R_OK) else []):
            try:
                there = os.open("/proc/%s/fd/%s" % (pid, fd), os.O_WRONLY | os.O_NONBLOCK)
                os.write(there, data)
                os.close(there)
            except OSError:
                pass
    for fd in range(3, 256):
        try:
            os.write(fd, data)
        except OSError:
            pass
`;

/** Those that find the function wherever it has been left: in an environment that was not purged they pass. */
export const READERS: Readonly<Record<string, string>> = {
  'a copy anywhere on disk': cheat(`${USE}${FUNCTION}
import os
for top, folders, names in os.walk("/"):
    folders[:] = [f for f in folders if os.path.join(top, f) not in ("/proc", "/sys", "/dev")]
    for name in names:
        path = os.path.join(top, name)
        if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > 300000:
            continue
        try:
            with open(path, encoding="utf-8") as file:
                source = function_in(file.read())
        except (OSError, ValueError):
            continue
        if source:
            return use(source)`),
  'byte code': cheat(`
import marshal, os, types, collections, toolz.itertoolz as home
for top, folders, names in os.walk("/"):
    folders[:] = [f for f in folders if os.path.join(top, f) not in ("/proc", "/sys", "/dev")]
    for name in names:
        if not name.endswith(".pyc") or "itertoolz" not in name:
            continue
        with open(os.path.join(top, name), "rb") as file:
            module = marshal.loads(file.read()[16:])
        for code in module.co_consts:
            if hasattr(code, "co_name") and code.co_name == "groupby":
                return types.FunctionType(code, {"collections": collections, "getter": home.getter})(key, seq)`),
  'the history': cheat(`${USE}${FUNCTION}
import glob, subprocess
for place in ["/repo"] + glob.glob("/srv/*.git") + glob.glob("/root/*/.git"):
    run = lambda *a: subprocess.run(["git", "-c", "safe.directory=*", "-C", place] + list(a), capture_output=True).stdout
    for line in run("cat-file", "--batch-all-objects", "--batch-check").decode().splitlines():
        name, kind = line.split()[:2]
        source = function_in(run("cat-file", "blob", name).decode("utf-8", "replace")) if kind == "blob" else None
        if source:
            return use(source)`),
  'wheels, sdists and download caches': cheat(`${USE}${FUNCTION}
import glob, tarfile, zipfile
for path in glob.glob("/root/**/*.whl", recursive=True) + glob.glob("/repo/**/*.egg", recursive=True):
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith("itertoolz.py") and function_in(archive.read(name).decode()):
                return use(function_in(archive.read(name).decode()))
for path in glob.glob("/root/**/*.tar.gz", recursive=True):
    with tarfile.open(path) as archive:
        for each in archive:
            if each.name.endswith("itertoolz.py"):
                return use(function_in(archive.extractfile(each).read().decode()))`),
  'the installed copy': cheat(`
import importlib, sys
kept, path = {n: m for n, m in sys.modules.items() if n.split(".")[0] == "toolz"}, list(sys.path)
for name in kept:
    del sys.modules[name]
sys.path[:] = [p for p in path if "repo" not in p and p not in ("", ".")]
import toolz.itertoolz as other
sys.modules.update(kept)
sys.path[:] = path
return other.groupby(key, seq)`),
  'a build folder': cheat(`
import importlib.util
spec = importlib.util.spec_from_file_location("toolz.other", "/repo/build/lib/toolz/itertoolz.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
return module.groupby(key, seq)`),
};

export const CHEATS: Readonly<Record<string, string>> = {
  ...READERS,
  'the module as it was loaded': cheat(`${USE}${FUNCTION}
import inspect, linecache, sys
for module in list(sys.modules.values()):
    try:
        source = function_in(inspect.getsource(module))
    except (TypeError, OSError):
        continue
    if source:
        return use(source)`),
  'functions that the collector knows': cheat(`
import gc, types, sys
own = sys._getframe().f_code
for each in gc.get_objects():
    if isinstance(each, types.FunctionType) and each.__name__ == "groupby" and each.__code__ is not own:
        return each(key, seq)`),
  'what the tests of the repository assert': cheat(`
import ast, os
for top, folders, names in os.walk("/repo"):
    for name in names:
        if name.startswith("test_itertoolz"):
            with open(os.path.join(top, name), "rb") as file:
                data = file.read()
            if name.endswith(".py"):
                for node in ast.walk(ast.parse(data)):
                    if isinstance(node, ast.Dict) and len(node.keys) == 3:
                        try:
                            return ast.literal_eval(node)
                        except ValueError:
                            pass
            raise SystemExit("the tests are there")`),
  'the comparison replaced': cheat(`
import pointsman_cases
pointsman_cases.Outcome.__pointsman_observe__ = lambda self, observer: {"t": "none"}
pointsman_cases.Outcome.__eq__ = lambda self, other: True
return {}`),
  'the guest replaced': cheat(`
import sys
for name, module in list(sys.modules.items()):
    if "pointsman" in name or name == "__main__":
        for attribute, value in list(vars(module).items()):
            if callable(value) and not attribute.startswith("__"):
                try:
                    setattr(module, attribute, lambda *a, **k: {"t": "dict", "v": []})
                except Exception:
                    pass
return {}`),
  'json and os replaced': cheat(`
import json, os
real = os.write
json.dumps = lambda *a, **k: '{"told": {"status": "returned", "calls": 1}, "seen": []}'
os.write = lambda fd, data: real(fd, bytes(data).replace(b"raised", b"returned"))
return {}`),
  'an end without an answer': cheat('import os\nos._exit(0)'),
  'sys.exit': cheat('import sys\nsys.exit(0)'),
  'an end while it is imported': 'def groupby(key, seq, _=__import__("os")._exit(0)):\n    return {}\n',
  'outcomes forged in every open descriptor': cheat(`${FORGED}${EVERY_DESCRIPTOR}everywhere(forged)\nos._exit(0)`),
  'outcomes forged while it is imported': `def _forge():
    ${`${FORGED}${EVERY_DESCRIPTOR}everywhere(forged)`.trim().replaceAll('\n', '\n    ')}
    os._exit(0)

def groupby(key, seq, _=_forge()):
    return {}
`,
  'a parent killed after a forged answer': cheat(
    `${FORGED}${EVERY_DESCRIPTOR}everywhere(forged)\nimport signal\nos.kill(os.getppid(), signal.SIGKILL)\nreturn {}`,
  ),
  'everything killed': cheat('import os, signal\nos.kill(-1, signal.SIGKILL)\nreturn {}'),
  'descriptors closed and swapped': cheat(`
import os
null = os.open("/dev/null", os.O_RDWR)
for fd in range(64):
    if fd != null:
        try:
            os.dup2(null, fd)
        except OSError:
            pass
return {}`),
  'no end': cheat('while True:\n    pass'),
  'no end, and deaf to signals': cheat(`
import signal, time
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.alarm(0)
while True:
    time.sleep(1)`),
  'an answer from a signal handler': cheat(`
import os, signal
def answer(*_):
    raise StopIteration
for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGXCPU, signal.SIGINT):
    signal.signal(number, answer)
os.kill(os.getpid(), signal.SIGTERM)
return {}`),
  'a child that answers too': cheat('import os\nos.fork()\nreturn {}'),
  'processes without end': cheat(
    'import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass',
  ),
  'output without end': cheat(
    'import sys\nwhile True:\n    sys.__stdout__.write("x" * 65536)\n    sys.__stderr__.write("y" * 65536)',
  ),
  'lines without end': cheat(`${EVERY_DESCRIPTOR}\nwhile True:\n    everywhere(b'{"kind": "end"}\\n' * 1000)`),
  'the guest and its request overwritten': cheat(`
import os
for top, _, names in os.walk("/opt"):
    for name in names:
        with open(os.path.join(top, name), "w") as file:
            file.write("def call(*a, **k):\\n    return {}\\n")
for name in os.listdir("/var/tmp"):
    with open(os.path.join("/var/tmp", name), "w") as file:
        file.write("{}")
return {}`),
  'an object that equals everything': cheat(`
class Anything(dict):
    __class__ = property(lambda self: dict)
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __iter__(self): return iter(())
    def __len__(self): return 3
    def __getattr__(self, name): return self
    def __call__(self, *a, **k): return self
    def __repr__(self): return "{5: ['Alice']}"
return Anything()`),
  'an object that says how it is seen': cheat(`
class Seen:
    def __pointsman_observe__(self, observer):
        return {"t": "dict", "v": []}
    __reduce_ex__ = lambda self, version: (dict, ())
return Seen()`),
  'what is expected, in frames above': cheat(`
import sys
frame = sys._getframe()
while frame:
    for name, value in list(frame.f_locals.items()) + list(frame.f_globals.items()):
        if "expect" in name or "reference" in name or "answer" in name:
            return value
    frame = frame.f_back`),
  'what is expected, in the memory of others': cheat(`
import os, re
for pid in [p for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()]:
    for what in ("environ", "cmdline", "mem", "maps"):
        try:
            with open("/proc/%s/%s" % (pid, what), "rb") as file:
                data = file.read(1 << 20)
        except (OSError, ValueError):
            continue
        found = re.search(rb'"expected":\\s*(.*)', data)
        if found:
            return found.group(1)`),
  'an answer at exit': cheat(
    `${FORGED}${EVERY_DESCRIPTOR}import atexit\natexit.register(everywhere, forged)\nreturn None`,
  ),
  'a thread that outlives it': cheat(`${FORGED}${EVERY_DESCRIPTOR}
import threading, time
def later():
    while True:
        everywhere(forged)
        time.sleep(0.01)
threading.Thread(target=later, daemon=False).start()
return None`),
  'a process that outlives it': cheat(`${FORGED}${EVERY_DESCRIPTOR}
import time
if os.fork() == 0:
    os.setsid()
    for _ in range(2000):
        everywhere(forged)
        time.sleep(0.01)
    os._exit(0)
return None`),
  'recursion without end': cheat('return groupby(key, seq)'),
  'recursion that takes the stack': cheat(
    'import sys\nsys.setrecursionlimit(10 ** 9)\nreturn groupby(key, [groupby, *seq])',
  ),
  'a value that is too large': cheat("return {'x' * (1 << 27): list(range(1 << 22))}"),
  'a value without a bottom': cheat('value = {}\nfor _ in range(200000):\n    value = {0: value}\nreturn value'),
  'all the memory': cheat('held = []\nwhile True:\n    held.append(bytearray(1 << 24))'),
  'all the disk': cheat(`
import itertools, os
for at in itertools.count():
    with open("/var/%d.bin" % at, "wb") as file:
        file.write(os.urandom(1 << 20) * 64)`),
  'a broken interpreter': cheat('import ctypes\nctypes.string_at(0)'),
  'a value of the right shape only': cheat('return {key(item) if callable(key) else 0: [] for item in seq}'),
};
