"""Runs a harness: the one process that writes answers, and that never imports what is under test.

A room (see `room.py`) imports subject and harness and makes a process for each case. Where a room dies or hangs, the
case that it was at is reported as crashed, and a new room goes on with those that are left.
"""

import json
import os
import shutil
import tempfile

from . import processes
from .measure import Measure
from .room import Room
from .subject import Subject

IMPORT_SECONDS = 120
#: For a room to end a case, gather its files and answer.
GRACE_SECONDS = 20
_STATUSES = ("returned", "raised", "timeout", "crashed")


class _Worker:
    """A room in a process of its own."""

    def __init__(self, request, scratch):
        told, self._tell = processes.pipe()
        answers, answer = processes.pipe()
        self._reader = processes.Reader(answers)
        self._ends = (answers, self._tell)
        self._child = os.fork()
        if self._child == 0:
            os.close(answers)
            os.close(self._tell)
            _be_room(request, scratch, told, answer)
        os.close(told)
        os.close(answer)

    def hear(self, seconds):
        """What it says next; None where it is gone, hangs, or says what makes no sense."""
        try:
            said = json.loads(self._reader.frame(seconds) or "null")
        except (TimeoutError, ValueError, RecursionError):
            return None
        return said if isinstance(said, dict) else None

    def ask(self, case):
        try:
            processes.send(self._tell, case.encode())
        except BrokenPipeError:
            pass

    def close(self, spare):
        processes.end(self._child, spare)
        for end in self._ends:
            os.close(end)


def _be_room(request, scratch, told, answer):
    """Never returns."""
    try:
        os.setsid()
        processes.die_with_parent()
        processes.quiet()
        processes.adopt_orphans()
        room = Room(request, Subject(request["subject"]), scratch, answer)
        commands = processes.Reader(told)
        if room.open():
            while True:
                case = commands.frame(24 * 3600)
                if case is None:
                    break
                room.run(case.decode())
    finally:
        os._exit(0)


def run(request, write):
    """Runs all cases of a `RunRequest` and hands each `RunLine` to `write`."""
    processes.adopt_orphans()
    processes.hide(True)
    scratch = os.path.realpath(tempfile.mkdtemp(prefix="pointsman-"))
    busy = [_busy() for _ in range(request["load"])]
    try:
        _run(request, scratch, busy, write)
    finally:
        for child in busy:
            processes.end(child)
        shutil.rmtree(scratch, ignore_errors=True)


def _run(request, scratch, busy, write):
    left = list(request["cases"])
    seen = []
    ready = None
    while left or ready is None:
        worker = _Worker(request, scratch)
        try:
            opened = _open(worker, write if ready is None else lambda _line: None)
            if opened is None:
                break
            ready = opened
            while left:
                outcome, calls = _outcome(worker, left.pop(0), request["secondsPerCase"])
                write({"kind": "case", "outcome": outcome})
                seen += [call for call in calls if call not in seen]
                if calls is _LOST:
                    break
        finally:
            worker.close(busy)
    if ready is None:
        return
    if request["observeCalls"]:
        write({"kind": "calls", "calls": seen[: request["observeCalls"]]})
    if request["coverage"]:
        report = Measure(request, scratch).report(ready["file"], request["subject"]["target"]["name"])
        write({"kind": "coverage", "coverage": report})
    write({"kind": "end"})


#: Instead of calls: the room itself did not survive the case.
_LOST = ()


def _open(worker, write):
    """Waits until subject and harness are imported, and writes what came of it. None where no case can be run."""
    stage = "subject"
    while True:
        said = worker.hear(IMPORT_SECONDS)
        if said is None:
            raised = {"type": "", "message": "the process ended, or hung, while it was imported", "trace": ""}
            write(dict(raised, kind="unusable", stage=stage))
            return None
        if "unusable" in said:
            write(dict(said["raised"], kind="unusable", stage=said["unusable"]))
            return None
        if "ready" in said:
            write(dict(said["ready"], kind="began"))
            return said["ready"]
        stage = said.get("stage", stage)


def _outcome(worker, case, seconds):
    worker.ask(case)
    said = worker.hear(seconds + GRACE_SECONDS)
    told = said.get("told") if said else None
    if not isinstance(told, dict) or told.get("status") not in _STATUSES:
        raised = {"type": "", "message": "the process that makes cases did not survive it", "trace": ""}
        return {"case": case, "status": "crashed", "raised": raised, "files": {}, "seconds": 0}, _LOST
    outcome = {key: told[key] for key in ("status", "value", "raised", "files", "calls") if key in told}
    return dict(outcome, case=case, seconds=said.get("seconds", 0)), list(said.get("seen") or [])


def _busy():
    """A process that keeps a processor busy."""
    child = os.fork()
    if child == 0:
        os.setsid()
        processes.die_with_parent()
        while True:
            pass
    return child
