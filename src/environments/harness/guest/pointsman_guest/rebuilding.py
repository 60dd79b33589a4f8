"""Whether calls that were written down come back: each is made again as far as its arguments, where no test is."""

import json
import os
import shutil
import signal
import tempfile

from . import processes
from .recorded import arguments_digest
from .subject import Subject

_SECONDS = 60
_SECONDS_EACH = 3


def rebuildable(subject, calls):
    """Of `(call, tree)` pairs those whose arguments are, when made again, what `tree` says; None says nothing."""
    if not calls:
        return []
    scratch = tempfile.mkdtemp(prefix="pointsman-")
    reading, writing = processes.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _check(subject, calls, scratch, writing)
    os.close(writing)
    answers = processes.Reader(reading)
    good = []
    try:
        # One frame a call, so that it costs only the rest where a call ends the process.
        for one in calls:
            answer = answers.frame(_SECONDS)
            if answer is None:
                break
            if json.loads(answer):
                good.append(one)
    except TimeoutError:
        pass
    processes.end(child)
    os.close(reading)
    shutil.rmtree(scratch, ignore_errors=True)
    return good


def _check(request, calls, scratch, answers):
    """Never returns."""
    try:
        os.setsid()
        processes.quiet()
        os.chdir(request["workdir"])
        subject = Subject(request).load()
        os.chdir(scratch)
        signal.signal(signal.SIGALRM, _too_long)
        for call, tree in calls:
            signal.alarm(_SECONDS_EACH)
            try:
                digest = arguments_digest(*arguments_of(call, subject.given))
                same = tree is None or digest == tree
            except Exception:
                same = False
            signal.alarm(0)
            processes.send(answers, json.dumps(same).encode())
    finally:
        os._exit(0)


def _too_long(_signal, _frame):
    raise TimeoutError


def arguments_of(call, given):
    """What the case hands to `call`, without making the call."""
    scope = {}
    exec("\n".join(call["setup"]), scope)
    scope["call"] = lambda _function, *args, **kwargs: (args, kwargs)
    lines = [line for statement in call["body"] for line in statement.split("\n")]
    exec("def case(subject):\n" + "\n".join("    " + line for line in lines), scope)
    return scope["case"](given)
