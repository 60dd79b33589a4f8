"""Inputs for a function that nobody has called yet: drawn by hypothesis, tried out, and chosen by what they reach."""

import hashlib
import inspect
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time

from . import processes
from .choosing import by_reach
from .importable import Importable
from .observe import Observer
from .recorded import arguments_digest, case_digest, case_of, method_name, shape_of
from .rebuilding import arguments_of
from .source import Writer
from .subject import Subject


class _TooLong(BaseException):
    """Out of a call that does not end; not an `Exception`, so that the function does not catch it."""


_SECONDS_A_CALL = 1
_MEMORY_BYTES = 512 * 1024 * 1024
#: Sets of arguments tried for each that is wanted.
_TRIED = 12
_MOST_TRIED = 600
#: What a function raises at once where it was not designed for its input.
_NOT_DESIGNED_FOR = (
    TypeError,
    AttributeError,
    NameError,
    RecursionError,
    NotImplementedError,
    MemoryError,
    _TooLong,
)


def generate(request, write):
    """Answers a `GenerateRequest` with `GenerateLine`s. The function runs in a process of its own."""
    reading, writing = processes.pipe()
    scratch = tempfile.mkdtemp(prefix="pointsman-")
    child = os.fork()
    if child == 0:
        os.close(reading)
        _be_generator(request, scratch, writing)
    os.close(writing)
    try:
        answer = processes.Reader(reading).frame(request["seconds"] + 30)
    except TimeoutError:
        answer = None
    processes.end(child)
    os.close(reading)
    shutil.rmtree(scratch, ignore_errors=True)
    write(json.loads(answer) if answer else _refused("*", "the function did not come back, or ended its process"))
    write({"kind": "end"})


def _refused(argument, why):
    return {"kind": "refused", "argument": argument, "why": why}


def _be_generator(request, scratch, answer):
    """Never returns."""
    try:
        os.setsid()
        processes.quiet()
        os.chdir(request["subject"]["workdir"])
        subject = Subject(request["subject"]).load()
        os.chdir(scratch)
        if request.get("tools"):
            sys.path.append(request["tools"])
        _limit_memory()
        line = _generated(request, subject)
    except Exception as error:
        line = _refused("*", "%s: %s" % (type(error).__name__, str(error)[:300]))
    processes.send(answer, json.dumps(line).encode())
    os._exit(0)


def _limit_memory():
    """A large number may ask for a list as long; that is to be an error, and not the end of the process."""
    with open("/proc/self/statm") as file:
        most = int(file.read().split()[0]) * resource.getpagesize() + _MEMORY_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _generated(request, subject):
    from .inputs import Inputs, Refused

    target = subject.target
    expression, function = _function(target, subject.given)
    trial = _Trial(subject, expression, function, time.monotonic() + request["seconds"])
    if trial.code is None:
        return _refused("*", "its parameters cannot be read")
    instance_of = subject.given if target["kind"] == "method" else None
    try:
        inputs = Inputs(function, trial.code, instance_of, request.get("seen") or {})
    except Refused as why:
        return _refused(*why.args)
    inputs.draw(request["seed"], min(_MOST_TRIED, _TRIED * request["examples"]), trial.take)
    chosen = by_reach(list(trial.tried.values()), request["examples"])
    if not chosen:
        return _refused("*", "it raises, or does not end, for all that was tried")
    return {"kind": "calls", "calls": [one["call"] for one in chosen]}


def _function(target, given):
    """`(expression, function)`: the function as it is called from a case."""
    if target["kind"] == "function":
        return "subject", given
    name = method_name(target["name"])
    found = inspect.getattr_static(given, name)
    if isinstance(found, property):
        return "subject.%s.fget" % name, found.fget
    return "subject." + name, getattr(given, name)


class _Trial:
    """Calls the function with what was drawn, and keeps the calls that can be written with what they reached."""

    def __init__(self, subject, expression, function, until):
        self.code = subject.code()
        self.tried = {}
        self._subject = subject
        self._expression = expression
        self._function = function
        self._until = until
        self._importable = Importable(subject.workdir, subject.roots)
        signal.signal(signal.SIGALRM, _too_long)

    def take(self, positional, named):
        """One set of arguments. Its source is written first: the call may change them."""
        if time.monotonic() > self._until:
            return
        try:
            case = case_of(self._expression, positional, named, Writer(self._importable, lambda _path: None))
            made = arguments_of(case, self._subject.given)
        except Exception:
            return
        digest = case_digest(case)
        if digest in self.tried or arguments_digest(*made) != arguments_digest(positional, named):
            return
        call = dict(case, digest=digest, shape=shape_of(positional, named), test="")
        reached, outcome, raised = self._call(positional, named)
        if raised is None or not issubclass(raised, _NOT_DESIGNED_FOR):
            self.tried[digest] = {"call": call, "reached": reached, "outcome": outcome, "raised": raised}

    def _call(self, positional, named):
        """`(steps from line to line within the function, what came of it, type of the exception)`."""
        steps = _Steps(self.code)
        signal.alarm(_SECONDS_A_CALL)
        sys.settrace(steps.entered)
        try:
            tree = Observer(1_000).observe(self._function(*positional, **named))
            return steps.reached, hashlib.sha256(json.dumps(tree, sort_keys=True).encode()).hexdigest(), None
        except BaseException as error:
            return steps.reached, type(error).__name__, type(error)
        finally:
            sys.settrace(None)
            signal.alarm(0)


def _too_long(_signal, _frame):
    raise _TooLong


class _Steps:
    """Trace function that keeps from which line to which a function went."""

    def __init__(self, code):
        self.reached = set()
        self._code = code
        self._last = 0

    def entered(self, frame, _event, _value):
        self._last = 0
        return self._within if frame.f_code is self._code else None

    def _within(self, frame, event, _value):
        if event == "line":
            self.reached.add((self._last, frame.f_lineno))
            self._last = frame.f_lineno
        return self._within
