"""Under which name something can be imported where the repository's tests are not."""

import os
import re
import sys
import types

_TEST_PART = re.compile(r"^(tests?|testing|conftest|test_.*|.*_tests?)$")


class Importable:
    """Knows the repository: what stands in its tests is not importable, nor what stands in no import root."""

    def __init__(self, workdir, roots):
        self._workdir = os.path.realpath(workdir) + os.sep
        self._roots = [os.path.realpath(root) + os.sep for root in roots]
        self._modules = {}
        self._own = {}
        self._globals = ({}, 0)

    def name_of(self, thing):
        """`(module, dotted name)`, or None. `builtins` is a module like any other."""
        for module, name in _names(thing):
            if "<" not in name and self.module(module) and _look_up(module, name) is thing:
                return module, name
        return None

    def global_name_of(self, thing):
        """Like `name_of`, for a value that a module of the repository keeps under a name of its own: sentinels,
        registries.
        """
        known, at = self._globals
        if at != len(sys.modules):
            known = {}
            for module in sorted(name for name in sys.modules if self._is_own(name)):
                for name, value in list(vars(sys.modules[module]).items()):
                    if type(name) is str and not name.startswith("__"):
                        known.setdefault(id(value), (module, name))
            self._globals = (known, len(sys.modules))
        found = known.get(id(thing))
        return found if found and _look_up(*found) is thing else None

    def module(self, name):
        """Whether a module that is loaded can be imported without the tests."""
        if name not in self._modules:
            self._modules[name] = self._judge(name)
        return self._modules[name]

    def path_of(self, module):
        """The expression that reaches a module after `import a.b.c`; None where a package hides it behind another
        name.
        """
        found = sys.modules.get(module.split(".")[0])
        for part in module.split(".")[1:]:
            found = getattr(found, part, None)
        return module if found is sys.modules.get(module) else None

    def _judge(self, name):
        module = sys.modules.get(name)
        if not isinstance(module, types.ModuleType) or name == "__main__":
            return False
        file = getattr(module, "__file__", None)
        if not file:
            return True
        file = os.path.realpath(file)
        if not file.startswith(self._workdir) or _installed(file):
            return True
        return not of_tests(name.split(".")) and any(
            file.startswith(os.path.join(root, name.split(".")[0])) for root in self._roots
        )

    def _is_own(self, name):
        # Asked of every module again whenever another one is loaded.
        if name not in self._own:
            file = getattr(sys.modules.get(name), "__file__", None)
            inside = bool(file) and os.path.realpath(file).startswith(self._workdir) and not _installed(file)
            self._own[name] = inside and self.module(name)
        return self._own[name]


def of_tests(parts):
    """Whether the parts of a module's name, or of a path in the repository, say that it belongs to the tests."""
    return any(_TEST_PART.match(part.partition(".")[0]) for part in parts)


def _installed(file):
    return "/site-packages/" in file or "/dist-packages/" in file


def _names(thing):
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None)
    if type(name) is not str:
        return
    owner = getattr(thing, "__objclass__", None)
    module = getattr(owner or thing, "__module__", None)
    if isinstance(module, str):
        # `_operator.add` is what everybody knows as `operator.add`, `pathlib._local.Path` as `pathlib.Path`.
        public = [part for part in module.split(".") if not part.startswith("_")]
        for one in dict.fromkeys((".".join(public), module.lstrip("_"), module)):
            if one:
                yield one, name
    # Types of the interpreter itself, which say that they are builtins, have names only here.
    public = next((name for name, value in vars(types).items() if value is thing), None)
    if public is not None:
        yield "types", public


def _look_up(module, name):
    found = sys.modules.get(module)
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except Exception:
            return None
    return found
