"""One case in the process that was made for it: what it returns or raises, as data."""

import json
import linecache
import os
import random
import resource
import sys
import traceback
import types

from .calls import CallWatch
from .names import class_name, without_addresses
from .observe import Observer

HARNESS = "pointsman_harness"
_FILE_BYTES = 256 * 1024 * 1024
_TEXT = 4_000


def load_harness(source):
    """The harness as a module of its own; its lines are known to tracebacks though no file holds them."""
    name = HARNESS + ".py"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    module = types.ModuleType(HARNESS)
    module.__file__ = name
    sys.modules[HARNESS] = module
    exec(compile(source, name, "exec"), vars(module))
    return module


def enter(scratch, seed):
    """The world that a case finds: an empty directory, nothing on the standard streams, seeded random numbers."""
    for name, folder in (("HOME", "home"), ("TMPDIR", "tmp")):
        os.environ[name] = os.path.join(scratch, folder)
    os.chdir(os.path.join(scratch, "work"))
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile.tempdir = None
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % (1 << 32))


def run_case(case, subject, request, replace):
    """Runs a case function; the frame that tells of it, as bytes of JSON."""
    watch = CallWatch(subject, request["observeCalls"])
    told = {"status": "returned"}
    limit = sys.getrecursionlimit()
    error = None
    watch.start()
    try:
        value = case(subject.given)
        sys.setrecursionlimit(max(limit, 3_000))
        # Still watched: a generator does its work only now, when what it gives is looked at.
        told["value"] = Observer(request["keep"], replace=replace).observe(value)
    except SystemExit as left:
        told["status"], error = "crashed", left
    except BaseException as raised:
        told["status"], error = "raised", raised
    finally:
        watch.stop()
        sys.setrecursionlimit(max(limit, 3_000))
    if error is not None:
        told.pop("value", None)
        told["raised"] = raised_text(error, replace)
    told["calls"] = watch.count
    return json.dumps({"told": told, "seen": watch.seen}).encode()


def raised_text(error, replace=()):
    """Type, message and trace of an exception, bounded and without what differs from process to process."""

    def clean(text):
        for old, new in replace:
            text = text.replace(old, new)
        text = without_addresses(text).encode("utf-8", "backslashreplace").decode()
        return text if len(text) <= _TEXT else text[: _TEXT // 2] + "\n...\n" + text[-_TEXT // 2 :]

    try:
        message = str(error)
    except Exception:
        message = ""
    try:
        lines = traceback.format_exception(type(error), error, _own_frames_left_out(error.__traceback__), limit=-12)
        trace = "".join(lines)
    except Exception:
        trace = ""
    return {"type": class_name(type(error)), "message": clean(message), "trace": clean(trace)}


def _own_frames_left_out(trace):
    here = os.path.dirname(os.path.abspath(__file__))
    while trace is not None and os.path.dirname(os.path.abspath(trace.tb_frame.f_code.co_filename)) == here:
        trace = trace.tb_next
    return trace
