"""Takes a function's body out of a container: nothing that a candidate can read there says what the reference does.

Asked by one JSON line on standard input: {"file", "imported", "name", "line", "stub", "workdir"}. `file` is the module in the
work directory, `imported` the file that Python really takes it from, `stub` the module's text with a body that raises.
Both get the stub, and so does every copy; histories, caches and archives that hold the function go. A second look over all
files then proves that nothing is left. Answers one JSON line: {"copies", "changed", "removed", "left"}.
"""
import ast
import io
import json
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile

SKIPPED = {"/proc", "/sys", "/dev"}
CACHES = ("/.cache/pip", "/.cache/pypoetry", "/.cache/pdm", "/.cache/pip-tools")
ZIPS = (".zip", ".whl", ".egg", ".pyz")
TARS = (".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tbz2", ".txz")
LARGEST = 8 << 20
LARGEST_ARCHIVE = 256 << 20
#: Letters that a line needs to tell one function from another: `else:` and `return x` stand everywhere.
TELLING = 12


class Reference:
    """What the function looks like, as text and as byte code."""

    def __init__(self, text, stub, name, line, basename):
        self.name = name
        self.text = text
        self.bytes = text.encode("utf-8", "surrogateescape")
        self.stem = basename.rsplit(".", 1)[0]
        self.opening = ("def %s" % name).encode("utf-8")
        node = _definition(ast.parse(text), name, line)
        lines = text.split("\n")
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        written = lines[body[0].lineno - 1 : node.end_lineno] if body else []
        elsewhere = {each.strip() for each in stub.split("\n")}
        self.lines = sorted({each.strip() for each in written if len(each.strip()) >= TELLING} - elsewhere)
        first = min([node.lineno] + [each.lineno for each in node.decorator_list])
        self.codes = {code for code in _codes(text, name, first, node.end_lineno)}

    def share(self, text):
        """How much of the body stands in a text, 0 to 1."""
        return sum(line in text for line in self.lines) / len(self.lines) if self.lines else 0

    def in_text(self, data, related):
        """A copy under the module's own name may be of another version; any other has to be the same in every line."""
        if self.opening not in data:
            return False
        share = self.share(data.decode("utf-8", "replace"))
        return share >= 0.5 if related else share == 1 and len(self.lines) > 1

    def is_related(self, path):
        return os.path.basename(path).startswith(self.stem)


def _definition(tree, name, line):
    """The function of that name at that line, or the last one where lines moved."""
    found = [
        each
        for each in ast.walk(tree)
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name == name
    ]
    exact = [each for each in found if min([each.lineno] + [d.lineno for d in each.decorator_list]) == line]
    return (exact or found)[-1]


def _codes(text, name, first, last):
    """Byte code of the function at each level of optimisation."""
    for level in (0, 1, 2):
        waiting = [compile(text, "<reference>", "exec", dont_inherit=True, optimize=level)]
        while waiting:
            code = waiting.pop()
            if code.co_name == name and first <= code.co_firstlineno <= last:
                yield code.co_code
            waiting += [each for each in code.co_consts if hasattr(each, "co_code")]


def stubbed(reference, text):
    """A module's text with the bodies of the function's copies taken out; None where it is no Python of this version."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    # Not `splitlines`: a form feed ends no line of Python.
    lines = text.split("\n")
    copies = [
        each
        for each in ast.walk(tree)
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each.name == reference.name
    ]
    for node in sorted(copies, key=lambda each: -each.lineno):
        body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
        if not body or body[0].lineno == node.lineno:
            continue
        if reference.share("\n".join(lines[body[0].lineno - 1 : node.end_lineno])) < 0.5:
            continue
        margin = " " * body[0].col_offset
        lines[body[0].lineno - 1 : node.end_lineno] = [margin + "raise NotImplementedError"]
    return "\n".join(lines)


def walk(top):
    """Folders before what is in them; links are not followed, and `yield`'s answer says whether to go in."""
    try:
        entries = sorted(os.scandir(top), key=lambda each: each.name)
    except OSError:
        return
    for entry in entries:
        if entry.path in SKIPPED:
            continue
        if entry.is_dir(follow_symlinks=False):
            inside = yield entry.path, True, 0
            if inside is not False:
                yield from walk(entry.path)
        elif entry.is_file(follow_symlinks=False):
            yield entry.path, False, entry.stat(follow_symlinks=False).st_size


def is_history(path, is_folder):
    """A repository's own folder, a bare one, or the file that leads to one."""
    if os.path.basename(path) in (".git", ".hg", ".svn", ".bzr"):
        return True
    return is_folder and path.endswith(".git") and os.path.exists(os.path.join(path, "HEAD"))


def is_test(path):
    """Tests say what comes out. Only among tests: a module may have such a name elsewhere."""
    folder, name = os.path.split(path)
    stem, ending = name.split(".")[0], name.rsplit(".", 1)[-1]
    tested = ending in ("py", "pyc") and (stem.startswith("test_") or stem.endswith("_test") or stem == "tests")
    return tested and bool({"test", "tests", "testing"} & set(folder.split("/")))


def holds(reference, path, size):
    """Whether a file holds the function: as text, as byte code, or packed."""
    lower = path.lower()
    if lower.endswith(ZIPS) or lower.endswith(TARS):
        return size <= LARGEST_ARCHIVE and _in_archive(reference, path, lower.endswith(TARS))
    if size > LARGEST or not size:
        return False
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return False
    if data[:4] == b"\x7fELF":
        return False
    if lower.endswith((".pyc", ".pyo")):
        return reference.name.encode("utf-8") in data and any(code in data for code in reference.codes)
    return data == reference.bytes or reference.in_text(data, reference.is_related(path))


def _in_archive(reference, path, is_tar):
    try:
        if is_tar:
            with tarfile.open(path) as archive:
                members = (each for each in archive if each.isfile() and reference.is_related(each.name))
                return any(reference.in_text(archive.extractfile(each).read(), True) for each in members)
        with zipfile.ZipFile(path) as archive:
            members = [each for each in archive.namelist() if reference.is_related(each)]
            return any(
                reference.in_text(archive.read(each), True) or any(code in archive.read(each) for code in reference.codes)
                for each in members
            )
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError):
        return False


def take_out(reference, stub, path, report):
    """Leaves of a file what is not the function; removes what is not text."""
    if path.lower().endswith(ZIPS + TARS + (".pyc", ".pyo")):
        os.remove(path)
        report["removed"].append(path)
        return
    text = read(path)
    if text == reference.text:
        write(path, stub)
        report["copies"].append(path)
        return
    left = stubbed(reference, text) if path.endswith((".py", ".pyi", ".pyx")) else None
    if left is None or reference.in_text(left.encode("utf-8"), reference.is_related(path)):
        left = text if left is None else left
        for line in reference.lines:
            left = left.replace(line, "")
    write(path, left)
    report["changed"].append(path)


def read(path):
    with io.open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


def write(path, text):
    """In place, so that owner and mode stay; hard links to the same file change with it."""
    if not os.access(path, os.W_OK):
        os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | stat.S_IWUSR)
    with io.open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.remove(path)


def sweep(reference, stub, report):
    walker = walk("/")
    answer = None
    while True:
        try:
            path, is_folder, size = walker.send(answer)
        except StopIteration:
            return
        answer = None
        if is_history(path, is_folder):
            report["histories"].append(path)
            answer = False
        elif is_folder and path.endswith(CACHES) or not is_folder and is_test(path):
            remove(path)
            report["removed"].append(path)
            answer = False
        elif not is_folder and holds(reference, path, size):
            take_out(reference, stub, path, report)


def left_over(reference):
    for path, is_folder, size in walk("/"):
        if not is_folder and holds(reference, path, size):
            yield path


def forget_history(workdir, histories):
    """One commit of the files as they are now, where there was a history; nothing of it anywhere else."""
    own = os.path.join(workdir, ".git")
    tracked = _git(workdir, "ls-files", "-z") if own in histories else None
    exclude = os.path.join(own, "info", "exclude")
    excluded = read(exclude) if os.path.isfile(exclude) else None
    for path in histories:
        remove(path)
    if tracked is None:
        return
    _git(workdir, "init", "-q", ".")
    if excluded is not None:
        os.makedirs(os.path.dirname(exclude), exist_ok=True)
        write_new(exclude, excluded)
    there = [path for path in tracked.split(b"\0") if path and os.path.lexists(os.path.join(workdir.encode(), path))]
    for at in range(0, len(there), 500):
        _git(workdir, "add", "-f", "--", *there[at : at + 500])
    author = ("-c", "user.name=pointsman", "-c", "user.email=pointsman@localhost", "-c", "commit.gpgsign=false")
    _git(workdir, *author, "commit", "-q", "--no-verify", "--allow-empty", "-m", "problem")


def write_new(path, text):
    with io.open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def _git(workdir, *arguments):
    """What git says; None where it cannot be run or refuses."""
    options = ["git", "-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null"]
    try:
        done = subprocess.run(options + list(arguments), cwd=workdir, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def main():
    sys.setrecursionlimit(10000)
    asked = json.loads(sys.stdin.readline())
    reference = Reference(read(asked["file"]), asked["stub"], asked["name"], asked["line"], os.path.basename(asked["file"]))
    report = {"copies": [], "changed": [], "removed": [], "histories": []}
    for path in dict.fromkeys(os.path.realpath(asked[each]) for each in ("file", "imported")):
        if read(path) == reference.text:
            write(path, asked["stub"])
            report["copies"].append(path)
    sweep(reference, asked["stub"], report)
    forget_history(asked["workdir"], report["histories"])
    report["left"] = list(left_over(reference))
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main()
