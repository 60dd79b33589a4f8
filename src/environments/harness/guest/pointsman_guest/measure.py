"""Which lines and branches of the function ran, by coverage.py, added up over the processes of all cases."""

import ast
import glob
import json
import os
import sys


class Measure:
    """Does nothing where the request asks for no coverage."""

    def __init__(self, request, scratch):
        self._wanted = request["coverage"]
        self._tools = request.get("tools")
        self._data = os.path.join(scratch, "coverage")
        self._coverage = None

    def begin(self, subject):
        """Starts before the subject's module is imported; only this module is looked at, wherever it stands."""
        if not self._wanted:
            return
        subject.find_first()
        self._coverage = _coverage(
            self._tools,
            data_file=self._data,
            data_suffix=True,
            branch=True,
            config_file=False,
            source_pkgs=[subject.target["module"]],
            messages=False,
        )
        self._coverage.start()

    def keep(self):
        """Writes what this process saw into a file of its own."""
        if self._coverage is not None:
            self._coverage.stop()
            self._coverage.save()

    def report(self, file, name):
        """The `CoverageReport` of the function `name` in `file`."""
        coverage = _coverage(self._tools, data_file=self._data, branch=True, config_file=False, messages=False)
        coverage.combine(glob.glob(self._data + ".*"))
        out = self._data + ".json"
        coverage.json_report(morfs=[file], outfile=out, ignore_errors=True)
        with open(out) as report:
            measured = next(iter(json.load(report)["files"].values()))
        return _of_function(measured, _lines_of(file, name))


def _coverage(tools, **options):
    if tools and tools not in sys.path:
        # Behind everything else: what the repository has installed comes first.
        sys.path.append(tools)
    import coverage

    return coverage.Coverage(**options)


def _lines_of(file, name):
    """The lines of the function's body without its docstring."""
    with open(file, "rb") as source:
        scope = ast.parse(source.read())
    for part in name.split("."):
        scope = _defined(scope, part)
    body = scope.body
    first = body[0]
    if isinstance(first, ast.Expr) and ast.get_docstring(scope, clean=False) is not None:
        body = body[1:]
    return range(body[0].lineno, scope.end_lineno + 1) if body else range(0)


def _defined(scope, name):
    """The last definition of a name in a scope, also in the arms of `if` and `try`: the one that counts."""
    found = None
    for node in ast.walk(scope):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name:
            if found is None or node.lineno > found.lineno:
                found = node if _directly(scope, node) else found
    if found is None:
        raise LookupError(name)
    return found


def _directly(scope, wanted):
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        if node is wanted:
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)
    return False


def _of_function(measured, lines):
    covered = [line for line in measured["executed_lines"] if line in lines]
    missed = [line for line in measured["missing_lines"] if line in lines]
    branches = {
        kind: [tuple(branch) for branch in measured[kind + "_branches"] if branch[0] in lines]
        for kind in ("executed", "missing")
    }
    return {
        "lines": {"total": len(covered) + len(missed), "covered": len(covered), "missed": missed},
        "branches": {
            "total": len(branches["executed"]) + len(branches["missing"]),
            "covered": len(branches["executed"]),
            "missed": branches["missing"],
        },
    }
