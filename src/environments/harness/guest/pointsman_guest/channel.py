"""The way in and out of the guest: one JSON request from a file, JSON lines to a file or to a descriptor that was
passed on.
"""

import json
import os
import sys


def answer(work):
    """Hands `work` the request named first on the command line, and a `write` for lines to the second."""
    # The folder of our scripts is no place that the code under test should import from; ours are loaded, or found by
    # package.
    import pointsman_cases  # noqa: F401

    sys.path.pop(0)
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    name = sys.argv[2]
    descriptor = int(name) if name.isdigit() else os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.set_inheritable(descriptor, False)

    def write(line):
        data = (json.dumps(line) + "\n").encode("ascii")
        while data:
            data = data[os.write(descriptor, data) :]

    work(request, write)
