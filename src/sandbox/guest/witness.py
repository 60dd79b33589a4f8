"""Tells the judge outside of the container what pytest saw, test by test, while it happens.

Loaded by `-p` before any code of the judged repository. The manifest comes over a pipe and is read once; records leave
over another pipe, each signed and numbered, so what was sent cannot be changed later. Before every record the witness
looks whether the test framework, and the test that is about to run, are still what they were when it was loaded.
"""
import ast
import builtins
import hashlib
import hmac
import json
import os
import sys
import types
import unittest
import unittest.case
import unittest.result
import unittest.suite

import _pytest.assertion.rewrite as rewrite
import _pytest.unittest  # noqa: F401 (guarded below)
import pytest

MANIFEST_FD = 8
RECORD_FD = 9
BUILTINS = ("all", "any", "isinstance", "issubclass", "len", "compile", "exec", "eval", "getattr", "sorted", "abs",
            "AssertionError", "BaseException", "Exception", "type", "object", "bool", "int", "str", "list", "dict")


def _read_manifest():
    chunks = []
    try:
        while not chunks or not chunks[-1].endswith(b"\n"):
            chunk = os.read(MANIFEST_FD, 65536)
            if not chunk:
                return None
            chunks.append(chunk)
        os.close(MANIFEST_FD)
        os.set_inheritable(RECORD_FD, False)
    except OSError:
        return None
    return json.loads(b"".join(chunks).decode("utf-8"))


def _code_of(value):
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    if isinstance(value, property):
        return tuple(_code_of(part) for part in (value.fget, value.fset, value.fdel))
    return getattr(value, "__code__", None)


class _Guard:
    """Functions and classes of the test framework, and whether they are still the same objects with the same code."""

    def __init__(self, trusted):
        self.trusted = trusted
        self.functions = []
        self.classes = []
        self.seen = set()
        self.take()
        self.builtins = [(name, getattr(builtins, name)) for name in BUILTINS]

    def take(self):
        for name, module in list(sys.modules.items()):
            root = name.split(".")[0]
            if root not in ("_pytest", "pluggy", "unittest", "pytest") or not isinstance(module, types.ModuleType):
                continue
            if name in self.seen or not self.is_trusted(getattr(module, "__file__", None)):
                continue
            self.seen.add(name)
            for key, value in list(vars(module).items()):
                if isinstance(value, types.FunctionType):
                    self.functions.append((module, key, value, value.__code__, value.__defaults__))
                elif isinstance(value, type):
                    self.functions.append((module, key, value, None, None))
                    if value.__module__ == name:
                        self.take_class(value)
        for own in (Witness, _Guard, _Sources):
            self.take_class(own)

    def take_class(self, cls):
        self.classes.append((cls, {k: (v, _code_of(v)) for k, v in vars(cls).items() if _matters(v)}))

    def is_trusted(self, file):
        return file is not None and any(os.path.realpath(file).startswith(root) for root in self.trusted)

    def changes(self):
        """What differs from when it was taken, each with what is there now."""
        for module, key, value, code, defaults in self.functions:
            now = vars(module).get(key)
            if now is not value:
                yield "%s.%s was replaced" % (module.__name__, key), now
            elif code is not None and (value.__code__ is not code or value.__defaults__ is not defaults):
                yield "the code of %s.%s was replaced" % (module.__name__, key), None
        for cls, members in self.classes:
            current = vars(cls)
            for key, now in list(current.items()):
                known = members.get(key)
                if known is None:
                    if _matters(now):
                        yield "%s.%s was added" % (cls.__name__, key), now
                elif known[0] is not now or known[1] != _code_of(now):
                    yield "%s.%s was replaced" % (cls.__name__, key), now
            for key in members:
                if key not in current:
                    yield "%s.%s was removed" % (cls.__name__, key), None
        for key, value in self.builtins:
            if getattr(builtins, key, None) is not value:
                yield "builtins.%s was replaced" % key, None

    def first_change(self):
        for what, _ in self.changes():
            return what
        return None

    def accept_installed(self):
        """Plugins that the image holds patch pytest while it starts (its own `legacypath` does); gives what nobody may.

        A patch counts as installed when its code is what a file outside of the work directory compiles to.
        """
        for what, now in self.changes():
            codes = _code_of(now)
            codes = [code for code in (codes if isinstance(codes, tuple) else (codes,)) if code is not None]
            if not codes or not all(self.is_installed(code) for code in codes):
                return what
        self.functions, self.classes, self.seen = [], [], set()
        self.take()
        return None

    def is_installed(self, code):
        return self.is_trusted(code.co_filename) and _digest(code) in _compiled(code.co_filename).get(code.co_name, ())


def _matters(value):
    return isinstance(value, (types.FunctionType, staticmethod, classmethod, property, types.BuiltinFunctionType))


def _digest(code):
    constants = [c for c in code.co_consts if not isinstance(c, types.CodeType)]
    parts = (code.co_code, repr(constants), code.co_names, code.co_varnames, code.co_freevars)
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _codes(root):
    pending, found = [root], []
    while pending:
        code = pending.pop()
        found.append(code)
        pending.extend(c for c in code.co_consts if isinstance(c, types.CodeType))
    return found


def _compiled(path):
    """Digests of the code that a file compiles to, by name, with assertions rewritten and without."""
    found = {}
    try:
        with open(path, "rb") as file:
            source = file.read()
        for rewritten in (True, False):
            tree = ast.parse(source, filename=path)
            if rewritten:
                rewrite.rewrite_asserts(tree, source, path)
            for code in _codes(compile(tree, path, "exec", dont_inherit=True)):
                found.setdefault(code.co_name, set()).add(_digest(code))
    except Exception:
        return {}
    return found


class _Sources:
    """What the test files compile to, worked out before the repository's code could change how they are loaded."""

    def __init__(self, workdir, paths):
        self.names = {}
        for path in paths:
            full = os.path.realpath(os.path.join(workdir, path))
            self.names[full] = _compiled(full)

    def replaced(self, item):
        """Why the item's function is not the one that its file defines; None when it is, or when we cannot know."""
        path = os.path.realpath(str(getattr(item, "fspath", "")))
        function = getattr(item, "obj", None)
        name = getattr(item, "originalname", None) or getattr(item, "name", "").split("[")[0]
        known = self.names.get(path, {}).get(name)
        if known is None or function is None:
            return None
        for code in _reachable_codes(function):
            if code.co_name == name and _digest(code) in known:
                return None
        return "%s does not run the code of its file" % item.nodeid


def _reachable_codes(function):
    """Code of a function and of what its decorators wrapped."""
    pending, seen = [function], []
    while pending and len(seen) < 200:
        value = pending.pop()
        if any(value is other for other in seen):
            continue
        seen.append(value)
        if isinstance(value, types.MethodType):
            pending.append(value.__func__)
        elif isinstance(value, types.FunctionType):
            yield value.__code__
            for cell in value.__closure__ or ():
                try:
                    pending.append(cell.cell_contents)
                except ValueError:
                    pass
            pending.extend(v for v in vars(value).values() if v is not None)
        elif isinstance(getattr(value, "func", None), (types.FunctionType, types.MethodType)):
            pending.append(value.func)
        elif callable(value) and not isinstance(value, type):
            pending.extend(v for v in getattr(value, "__dict__", {}).values() if v is not None)
            if hasattr(value, "inner_test"):
                pending.append(value.inner_test)


class Witness:
    __slots__ = ("secret", "workdir", "canaries", "count", "pid", "known_plugins", "hooks", "trusted", "guard", "sources",
                 "__weakref__")

    def __init__(self, manifest):
        self.secret = manifest["secret"].encode("ascii")
        self.workdir = os.path.realpath(manifest["workdir"])
        self.canaries = manifest["canaries"]
        self.count = 0
        self.pid = os.getpid()
        self.known_plugins = None
        self.hooks = None
        prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.dirname(pytest.__file__)),
                    os.path.dirname(os.path.dirname(unittest.__file__))}
        self.trusted = tuple(os.path.realpath(p) + os.sep for p in prefixes if os.path.realpath(p) != self.workdir)
        self.guard = _Guard(self.trusted)
        self.sources = _Sources(self.workdir, manifest["files"])
        self.send({"kind": "begin", "python": sys.version.split()[0], "pytest": pytest.__version__})
        self.watch_modules()

    def send(self, record, write=os.write, dumps=json.dumps, new=hmac.new, sha256=hashlib.sha256, getpid=os.getpid):
        if getpid() != self.pid:
            return
        self.count += 1
        body = dumps(dict(record, n=self.count)).encode("ascii")
        line = new(self.secret, body, sha256).hexdigest().encode("ascii") + b" " + body + b"\n"
        while line:
            line = line[write(RECORD_FD, line):]

    def watch_modules(self):
        """The standard library must not come out of the judged work directory."""
        for name in ("json", "hashlib", "hmac", "ast", "unittest", "types", "os", "pytest", "_pytest", "pluggy", "builtins"):
            file = getattr(sys.modules.get(name), "__file__", None)
            if file and not self.guard.is_trusted(file):
                self.send({"kind": "tampered", "what": "library_shadowed", "detail": "%s comes from %s" % (name, file)})

    def check(self, config):
        change = self.guard.first_change()
        if change:
            self.send({"kind": "tampered", "what": "framework_changed", "detail": change})
        if self.known_plugins is None:
            return
        for plugin in config.pluginmanager.get_plugins():
            if not any(plugin is known for known in self.known_plugins) and not self.is_own(plugin):
                self.send({"kind": "tampered", "what": "hook_injected", "detail": repr(type(plugin))[:200]})
        for name, caller, functions in self.hooks:
            if vars(config.hook).get(name) is not caller:
                self.send({"kind": "tampered", "what": "hook_injected", "detail": name})
            now = {id(impl): impl.function for impl in caller.get_hookimpls()}
            for key, function, code in functions:
                if now.get(key) is not function or getattr(function, "__code__", None) is not code:
                    self.send({"kind": "tampered", "what": "hook_injected", "detail": name})

    def is_own(self, plugin):
        module = plugin if isinstance(plugin, types.ModuleType) else sys.modules.get(type(plugin).__module__)
        file = getattr(module, "__file__", None) or ""
        return os.path.basename(file) == "conftest.py" or self.guard.is_trusted(file)

    # --- hooks ---

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config):
        config.option.maxfail = 0
        functions = config.getini("python_functions")
        if not any(pattern.startswith("test") for pattern in functions):
            self.send({"kind": "note", "what": "no_function_canaries", "detail": " ".join(functions)})
        for path in self.canaries:
            config.args.append(os.path.join(self.workdir, path))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session):
        change = self.guard.accept_installed()
        if change:
            self.send({"kind": "tampered", "what": "framework_changed", "detail": change})
        manager = session.config.pluginmanager
        for plugin in manager.get_plugins():
            if not self.is_own(plugin):
                self.send({"kind": "note", "what": "plugin", "detail": repr(plugin)[:200]})
        self.known_plugins = list(manager.get_plugins())
        self.hooks = [
            (name, caller, [(id(impl), impl.function, getattr(impl.function, "__code__", None)) for impl in caller.get_hookimpls()])
            for name, caller in vars(session.config.hook).items() if name.startswith("pytest_runtest")
        ]

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, session, config, items):
        mine = set(self.canaries)
        held = [item for item in items if item.nodeid.split("::")[0] in mine]
        yield
        for item in held:
            if not any(item is other for other in items):
                items.append(item)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        self.check(session.config)
        for path in self.canaries:
            try:
                os.unlink(os.path.join(self.workdir, path))
            except OSError:
                pass

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item, nextitem):
        self.check(item.config)
        reason = self.sources.replaced(item)
        if reason:
            self.send({"kind": "tampered", "what": "test_replaced", "detail": reason})
        yield
        self.check(item.config)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        if call.excinfo is not None and report.passed and not hasattr(report, "wasxfail"):
            self.send({"kind": "tampered", "what": "report_forged", "detail": item.nodeid})

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        if report.when == "call" or not report.passed:
            self.send({"kind": "report", "id": report.nodeid, "when": report.when, "outcome": str(report.outcome),
                       "xfail": hasattr(report, "wasxfail")})

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report):
        if report.failed:
            self.send({"kind": "report", "id": report.nodeid + "::<collect>", "when": "collect", "outcome": "failed",
                       "xfail": False})

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        self.check(session.config)
        self.send({"kind": "end", "exit": int(exitstatus), "collected": int(getattr(session, "testscollected", 0))})


def _open():
    # A pytest that a test starts must neither find us nor be taken for the judged session.
    name = __name__
    options = os.environ.get("PYTEST_ADDOPTS", "")
    mine = "-p " + name
    if options.startswith(mine):
        rest = options[len(mine):].strip()
        if rest:
            os.environ["PYTEST_ADDOPTS"] = rest
        else:
            del os.environ["PYTEST_ADDOPTS"]
    own = os.path.dirname(os.path.abspath(__file__))
    paths = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != own]
    if paths:
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    else:
        os.environ.pop("PYTHONPATH", None)
    sys.path[:] = [p for p in sys.path if p != own]
    manifest = _read_manifest()
    return None if manifest is None else Witness(manifest)


_witness = _open()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    global _witness
    if _witness is not None:
        witness, _witness = _witness, None
        config.pluginmanager.register(witness, name=__name__ + "_session")
