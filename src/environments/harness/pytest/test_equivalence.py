"""Whether the function of this repository does, case by case, what was recorded of the one that it replaces.

`snapshot.json` holds the cases and what came of them. They run in processes of their own, as they did when they were
recorded; only data comes back. Needs nothing but pytest and a Unix.
"""
import json
import os
import subprocess
import sys
import tempfile

import pytest
from pointsman_compare import first_difference

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

with open(os.path.join(HERE, "snapshot.json"), encoding="utf-8") as file:
    SNAPSHOT = json.load(file)
EXPECTED = {outcome["case"]: outcome for outcome in SNAPSHOT["expected"]}


@pytest.fixture(scope="session")
def answers(request):
    """What came of the cases that were selected by name, and under the empty name why there is nothing."""
    selected = [item for item in request.session.items if getattr(item, "function", None) is test_case]
    wanted = {item.callspec.params["case"] for item in selected}
    cases = [case for case in SNAPSHOT["request"]["cases"] if case in wanted]
    asked = dict(SNAPSHOT["request"], subject=dict(SNAPSHOT["request"]["subject"], workdir=ROOT), cases=cases)
    seconds = 120 + len(cases) * (asked["secondsPerCase"] + 20)
    # What steers pytest is none of the function's business.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    with tempfile.TemporaryDirectory() as folder:
        question, answer = os.path.join(folder, "request.json"), os.path.join(folder, "answer.jsonl")
        with open(question, "w", encoding="utf-8") as file:
            json.dump(asked, file)
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, "guest", "run.py"), question, answer],
            cwd=ROOT,
            env=dict(environment, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
        )
        said = {"": done.stdout.decode("utf-8", "replace")[-2000:]}
        if os.path.exists(answer):
            with open(answer, encoding="utf-8") as file:
                _read(file, said)
        return said


def _read(lines, said):
    for line in lines:
        try:
            told = json.loads(line)
        except ValueError:
            continue
        if told["kind"] == "case":
            said[told["outcome"]["case"]] = told["outcome"]
        elif told["kind"] == "unusable":
            said[""] = "the %s cannot be imported: %s: %s" % (told["stage"], told["type"], told["message"])


@pytest.mark.parametrize("case", SNAPSHOT["request"]["cases"])
def test_case(case, answers):
    if case not in answers:
        pytest.fail("%s did not run: %s" % (case, answers[""]), pytrace=False)
    difference = first_difference(EXPECTED[case], answers[case])
    if difference:
        pytest.fail("%s: %s" % (case, difference), pytrace=False)
