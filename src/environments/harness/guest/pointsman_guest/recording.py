"""Runs the repository's own tests under the tracer, and chooses among the calls that were seen."""

import glob
import json
import os
import shutil
import signal
import subprocess
import tempfile

from .choosing import by_shape, order
from .rebuilding import rebuildable

_INJECTED = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "inject")
_OUTPUT = 20_000
#: Calls written down for one that is asked for: many are alike, and some do not come back.
_SPARE = 3
_CHANGED = "it did not come back the same"


def record(request, write):
    """Answers a `RecordRequest` with `RecordLine`s."""
    spool = tempfile.mkdtemp(prefix="pointsman-")
    try:
        exit_code, output = _run_tests(request, spool)
        spooled = _read(spool, len(request["subjects"]))
    finally:
        shutil.rmtree(spool, ignore_errors=True)
    for subject, (seen, dropped, calls) in zip(request["subjects"], spooled):
        good = rebuildable(subject, calls)
        if len(good) < len(calls):
            dropped[_CHANGED] = dropped.get(_CHANGED, 0) + len(calls) - len(good)
        target = subject["target"]
        write(
            {
                "kind": "function",
                "module": target["module"],
                "name": target["name"],
                "seen": seen,
                "dropped": dict(sorted(dropped.items())),
                "calls": by_shape([call for call, _tree in good], request["callsPerFunction"]),
            }
        )
    write({"kind": "end", "exitCode": exit_code, "output": output})


def _run_tests(request, spool):
    """`(exit code, or None where the time was up; the end of what was printed)`."""
    config = os.path.join(spool, "config.json")
    with open(config, "w", encoding="utf-8") as file:
        roots = [os.path.normpath(os.path.join(request["workdir"], root)) for root in request["importRoots"]]
        subjects = [{key: one["target"][key] for key in ("module", "name", "kind")} for one in request["subjects"]]
        most = max(64, _SPARE * request["callsPerFunction"])
        json.dump(
            {"workdir": request["workdir"], "roots": roots, "spool": spool, "most": most, "subjects": subjects}, file
        )
    environment = dict(os.environ, POINTSMAN_RECORD=config, PYTHONHASHSEED="0")
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (_INJECTED, os.environ.get("PYTHONPATH"))))
    # The same tests in the same order: plugins that shuffle are left out.
    environment["PYTEST_ADDOPTS"] = (
        os.environ.get("PYTEST_ADDOPTS", "") + " -p no:randomly -p no:random_order"
    ).strip()
    with tempfile.TemporaryFile() as printed:
        tests = subprocess.Popen(
            ["/bin/sh", "-c", request["testCommand"]],
            cwd=request["workdir"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            exit_code = tests.wait(request["seconds"])
        except subprocess.TimeoutExpired:
            exit_code = None
        try:
            os.killpg(tests.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        tests.wait()
        printed.seek(max(0, printed.seek(0, os.SEEK_END) - _OUTPUT))
        return exit_code, printed.read().decode("utf-8", "replace")


def _read(spool, subjects):
    """Of each subject `(times seen, dropped by reason, [(call, tree)])`, whichever processes saw them in whatever
    order.
    """
    seen, dropped, calls = [0] * subjects, [{} for _ in range(subjects)], [{} for _ in range(subjects)]
    for name in glob.glob(os.path.join(spool, "calls-*.jsonl")):
        most = {}
        with open(name, encoding="utf-8") as file:
            for line in file:
                try:
                    said = json.loads(line)
                except ValueError:
                    # Its process was ended while it wrote.
                    continue
                at = said["at"]
                most[at] = max(most.get(at, 0), said["seen"])
                for why, times in said.get("dropped", {}).items():
                    dropped[at][why] = dropped[at].get(why, 0) + times
                if "call" in said:
                    call, known = said["call"], calls[at].get(said["call"]["digest"])
                    if known is None or (not call["test"], call["test"]) < (not known[0]["test"], known[0]["test"]):
                        calls[at][call["digest"]] = (call, said["tree"])
        for at, times in most.items():
            seen[at] += times
    ordered = [sorted(one.values(), key=lambda pair: order(pair[0])) for one in calls]
    return list(zip(seen, dropped, ordered))
