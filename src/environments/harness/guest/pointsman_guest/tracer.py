"""Loaded into each Python that a test command starts: writes down calls of the subjects, before anything changes
their arguments.

Only the subjects pay for it. While their file is imported, a first statement is put into each subject's body, which
hands over the frame; nothing is wrapped, so identity, decorators, registries and other tracers stay as they are. The
file is not changed, and the changed code is not cached.
"""

import ast
import atexit
import builtins
import importlib.machinery
import json
import os
import sys
import tempfile
import threading

from .importable import Importable, of_tests
from .recorded import SeenCall, arguments_digest, case_digest, shape_of
from .source import Writer
from .unwritable import Unwritable

_HOOK = "__pointsman_enter__"
#: Of each shape the first calls are written down, then ever fewer.
_FIRST = 6
_FILE_BYTES = 8_000


class Tracer:
    """`config`: `{workdir, roots, spool, most, subjects: [{module, name, kind}]}`; `most` calls of each are written
    down.
    """

    def __init__(self, config):
        self._config = config
        self._importable = Importable(config["workdir"], config["roots"])
        self._by_module = {}
        for at, subject in enumerate(config["subjects"]):
            self._by_module.setdefault(subject["module"], []).append((at, subject))
        self._busy = threading.local()
        self._workdir = os.path.realpath(config["workdir"]) + os.sep
        self._temporary = os.path.realpath(tempfile.gettempdir()) + os.sep
        self._own = os.path.realpath(config["spool"]) + os.sep
        self._forget()

    def _forget(self):
        count = len(self._config["subjects"])
        self._seen = [0] * count
        self._kept = [0] * count
        self._shapes = [{} for _ in range(count)]
        self._digests = [set() for _ in range(count)]
        self._dropped = [{} for _ in range(count)]
        self._file = None

    def start(self):
        setattr(builtins, _HOOK, self._enter)
        loader = importlib.machinery.SourceFileLoader
        plain = loader.get_code

        def get_code(this, fullname):
            return self._changed(this, fullname) or plain(this, fullname)

        loader.get_code = get_code
        atexit.register(self._end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def _changed(self, loader, fullname):
        wanted = self._by_module.get(fullname) or self._by_module.get(fullname + ".__init__")
        if not wanted:
            return None
        tree = ast.parse(loader.get_data(loader.path))
        for at, subject in wanted:
            for function in _functions(tree, subject["name"].split(".")):
                _hand_over(function, at)
        return compile(ast.fix_missing_locations(tree), loader.path, "exec", dont_inherit=True)

    def _enter(self, at):
        self._seen[at] += 1
        if self._kept[at] >= self._config["most"] or getattr(self._busy, "now", False):
            return
        self._busy.now = True
        try:
            self._look(at, sys._getframe(1))
        except Unwritable as why:
            self._drop(at, str(why))
        except Exception as error:
            self._drop(at, "could not be written: " + type(error).__name__)
        finally:
            self._busy.now = False

    def _look(self, at, frame):
        seen = SeenCall(self._config["subjects"][at], frame)
        shape = shape_of(seen.positional, seen.named)
        times = self._shapes[at][shape] = self._shapes[at].get(shape, 0) + 1
        if times > _FIRST and times & (times - 1):
            return
        self._kept[at] += 1
        writer = Writer(self._importable, self._file_content)
        call = seen.case(writer)
        digest = case_digest(call)
        if digest in self._digests[at]:
            return
        self._digests[at].add(digest)
        call.update(digest=digest, shape=shape, test=_test(frame))
        # A file that is made anew has another name: such arguments cannot be compared.
        tree = None if writer.makes_files else arguments_digest(seen.positional, seen.named)
        self._spool({"at": at, "seen": self._seen[at], "call": call, "tree": tree})

    def _file_content(self, path):
        """What stands in a file that will not be there again: one of the tests or in a temporary place."""
        if len(path) > 4_000 or not os.path.isabs(path) or not os.path.exists(path):
            return None
        real = os.path.realpath(path)
        if real.startswith(self._own):
            raise Unwritable("a file of the recorder's own")
        if real.startswith(self._workdir):
            if not of_tests(real[len(self._workdir) :].split(os.sep)):
                return None
        elif not real.startswith(self._temporary):
            return None
        if not os.path.isfile(path):
            raise Unwritable("a directory that will not be there")
        with open(path, "rb") as file:
            data = file.read(_FILE_BYTES + 1)
        if len(data) > _FILE_BYTES:
            raise Unwritable("a file of more than %d bytes" % _FILE_BYTES)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data

    def _drop(self, at, why):
        self._dropped[at][why] = self._dropped[at].get(why, 0) + 1

    def _end(self):
        for at, seen in enumerate(self._seen):
            if seen:
                self._spool({"at": at, "seen": seen, "dropped": self._dropped[at]})

    def _spool(self, line):
        if self._file is None:
            descriptor, _ = tempfile.mkstemp(prefix="calls-", suffix=".jsonl", dir=self._config["spool"])
            self._file = descriptor
        os.write(self._file, (json.dumps(line) + "\n").encode())


def _functions(scope, path):
    """All definitions under a name: which of them counts may be decided while the module runs."""
    for node in _within(scope):
        if getattr(node, "name", None) != path[0]:
            continue
        if len(path) > 1 and isinstance(node, ast.ClassDef):
            yield from _functions(node, path[1:])
        elif len(path) == 1 and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def _within(scope):
    """Definitions of a scope, those in the arms of `if`, `try` and `with` too."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node
        elif isinstance(node, (ast.stmt, ast.excepthandler)):
            yield from _within(node)


def _hand_over(function, at):
    call = ast.Expr(ast.Call(ast.Name(_HOOK, ast.Load()), [ast.Constant(at, kind=None)], []))
    body = function.body
    after_docstring = 1 if ast.get_docstring(function, clean=False) is not None else 0
    ast.copy_location(call, body[min(after_docstring, len(body) - 1)])
    body.insert(after_docstring, call)


def _test(frame):
    """The test that runs now, as pytest names it or as `unittest` does; empty outside of one."""
    current = os.environ.get("PYTEST_CURRENT_TEST", "")
    if current:
        return current.rpartition(" (")[0]
    case = sys.modules.get("unittest.case")
    while frame is not None and case is not None:
        this = frame.f_locals.get("self") if frame.f_code.co_argcount else None
        if isinstance(this, case.TestCase):
            return this.id()
        frame = frame.f_back
    return ""


def start_from_environment():
    """Starts the tracer that the environment asks for."""
    with open(os.environ["POINTSMAN_RECORD"], encoding="utf-8") as file:
        Tracer(json.load(file)).start()
