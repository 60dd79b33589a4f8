"""The function under test: imported from where it stands, and found again among all code that runs."""

import importlib
import inspect
import os
import sys


class Subject:
    """`module` as imported, `given` as handed to cases: the function, or the class of a method."""

    def __init__(self, request):
        self.target = request["target"]
        self.workdir = request["workdir"]
        self.roots = [os.path.normpath(os.path.join(self.workdir, root)) for root in request["importRoots"]]
        self.module = None
        self.given = None

    def find_first(self):
        """Lets the repository's own packages be found before all others."""
        sys.path[:] = self.roots + [path for path in sys.path if path not in self.roots]

    def load(self):
        """Imports the module by its name."""
        self.find_first()
        self.module = importlib.import_module(self.target["module"])
        parts = self.target["name"].split(".")
        self.given = self.module
        for part in parts if self.target["kind"] == "function" else parts[:-1]:
            self.given = getattr(self.given, part)
        return self

    def file(self):
        return os.path.realpath(getattr(self.module, "__file__", None) or "")

    def code(self):
        """The code object of the function, behind decorators and descriptors; None where it cannot be reached."""
        found = self.given
        if self.target["kind"] != "function":
            found = inspect.getattr_static(self.given, self.target["name"].split(".")[-1], None)
        for _ in range(32):
            if hasattr(found, "__code__"):
                wrapped = getattr(found, "__wrapped__", None)
                if wrapped is None:
                    return found.__code__ if self.owns(found.__code__) else None
                found = wrapped
                continue
            behind = [getattr(found, name, None) for name in ("__wrapped__", "__func__", "fget", "func")]
            found = next((one for one in behind if one is not None), None)
            if found is None:
                return None
        return None

    def owns(self, code):
        """Whether code is the function's own, by file and name: a decorator may have hidden the function anywhere."""
        if code.co_name != self.target["name"].split(".")[-1]:
            return False
        qualified = getattr(code, "co_qualname", self.target["name"])
        return qualified == self.target["name"] and os.path.realpath(code.co_filename) == self.file()
