"""The process in which subject and harness are imported once, and which makes a process for each case.

It is told one case at a time and answers with one frame for it. Code under test runs here while it is imported, so this
process is not trusted either: `supervise.py` outlives it.
"""

import gc
import json
import os
import shutil
import signal
import sys
import time

from . import processes
from .case import enter, load_harness, raised_text, run_case
from .measure import Measure
from .scratch import files_of, make_scratch, names_of


class Room:
    """`answers`: descriptor that frames are written to."""

    def __init__(self, request, subject, scratch, answers):
        self._request = request
        self._subject = subject
        self._scratch = scratch
        self._answers = answers
        self._harness = None
        self._measure = Measure(request, scratch)

    def open(self):
        """Imports both; says where it stands, so that it is known what did not survive."""
        os.environ["HOME"] = os.environ["TMPDIR"] = self._scratch
        os.chdir(self._request["subject"]["workdir"])
        self._measure.begin(self._subject)
        for stage, load in (("subject", self._subject.load), ("harness", self._load_harness)):
            self._tell({"stage": stage})
            try:
                load()
            except BaseException as error:
                self._tell({"unusable": stage, "raised": raised_text(error)})
                return False
        # A case that collects garbage would otherwise copy all that was imported, page by page.
        gc.freeze()
        self._tell({"ready": {"python": sys.version.split()[0], "file": self._subject.file()}})
        return True

    def _load_harness(self):
        import pointsman_cases  # noqa: F401 (harnesses import it; here, so that no case pays for it)

        self._harness = load_harness(self._request["harness"])

    def run(self, name):
        """Runs one case in a process of its own and tells what came of it."""
        began = time.monotonic()
        folder = make_scratch(self._scratch)
        replace = names_of(folder)
        reading, writing = processes.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os.close(self._answers)
            self._be_case(name, folder, writing, replace)
        os.close(writing)
        told = self._hear(reading, child)
        os.close(reading)
        told["seconds"] = round(time.monotonic() - began, 6)
        told["told"]["files"] = files_of(os.path.join(folder, "work"), self._request["keep"], replace)
        shutil.rmtree(folder, ignore_errors=True)
        self._tell(told)

    def _be_case(self, name, folder, answer, replace):
        """Never returns."""
        try:
            os.setsid()
            processes.die_with_parent()
            processes.hide(False)
            enter(folder, self._request["seed"])
            case = getattr(self._harness, name)
            frame = run_case(case, self._subject, self._request, replace)
            self._measure.keep()
            if len(frame) > processes.LARGEST // 2:
                frame = json.dumps(
                    {"told": {"status": "crashed", "raised": _crash("what it returned is too large")}}
                ).encode()
            processes.send(answer, frame)
        except BaseException as error:
            told = {"status": "crashed", "raised": raised_text(error, replace)}
            processes.send(answer, json.dumps({"told": told, "seen": []}).encode())
        finally:
            os._exit(0)

    def _hear(self, reading, child):
        seconds = self._request["secondsPerCase"]
        try:
            frame = processes.Reader(reading).frame(seconds)
        except TimeoutError:
            processes.end(child)
            return {"told": {"status": "timeout"}, "seen": []}
        status = processes.end(child)
        try:
            told = json.loads(frame)
            return {"told": dict(told["told"]), "seen": list(told["seen"])}
        except (TypeError, ValueError, KeyError, RecursionError):
            return {"told": {"status": "crashed", "raised": _crash(_ending(status))}, "seen": []}

    def _tell(self, frame):
        processes.send(self._answers, json.dumps(frame).encode())


def _crash(message):
    return {"type": "", "message": message, "trace": ""}


def _ending(status):
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGKILL:
        return "its process was ended by " + signal.Signals(os.WTERMSIG(status)).name
    return "its process ended without an answer"
