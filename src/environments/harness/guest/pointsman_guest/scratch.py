"""The temporary directory of a case: empty when it begins, and what stands in it afterwards."""

import base64
import hashlib
import os
import stat
import tempfile

from .names import without_addresses

FILES = 1_000


def make_scratch(parent):
    """A new directory with a place to work in, a home and one for temporary files."""
    folder = tempfile.mkdtemp(prefix="case-", dir=parent)
    for name in ("work", "home", "tmp"):
        os.mkdir(os.path.join(folder, name))
    return folder


def names_of(folder):
    """What stands for the directory's names in whatever leaves a case: they differ from run to run."""
    found = []
    for path in dict.fromkeys((os.path.realpath(folder), folder)):
        found += [(os.path.join(path, name), "/scratch/" + name) for name in ("work", "home", "tmp")]
    return found


def files_of(folder, keep, replace):
    """Regular files by path: text, base64 where it is none, or size and hash of what has more than `keep` bytes."""
    found = {}
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(at, name)
            try:
                if not stat.S_ISREG(os.lstat(path).st_mode) or len(found) == FILES:
                    continue
                label = os.path.relpath(path, folder).encode("utf-8", "backslashreplace").decode()
                found[label] = _content(path, keep, replace)
            except OSError:
                continue
    return found


def _content(path, keep, replace):
    with open(path, "rb") as file:
        data = file.read(keep + 1)
        if len(data) > keep:
            digest = hashlib.sha256(data)
            size = len(data)
            for chunk in iter(lambda: file.read(1 << 20), b""):
                digest.update(chunk)
                size += len(chunk)
            return {"bytes": size, "sha256": digest.hexdigest()}
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}
    for old, new in replace:
        text = text.replace(old, new)
    return without_addresses(text)
