"""Says what one interpreter of an environment can import, and from which files, by really importing it.

Usage: PYTHON locate.py '{"roots": ["/repo/src"], "modules": ["pkg.mod"], "seconds": 20}'
Every module is imported in a process of its own: one that hangs, prints or exits says nothing about the others.
"""
import json
import subprocess
import sys

PROBE = """
import importlib, json, os, sys
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path[:0] = json.loads(sys.argv[1])
module = importlib.import_module(sys.argv[2])
json.dump({"file": getattr(module, "__file__", None)}, answer)
"""


def look(roots, module, seconds):
    """The file that the module comes from, or why it cannot be imported."""
    try:
        done = subprocess.run(
            [sys.executable, "-B", "-c", PROBE, json.dumps(roots), module],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=seconds,
            cwd="/",
        )
    except subprocess.TimeoutExpired:
        return {"error": "its import did not end within %s s" % seconds}
    try:
        return json.loads(done.stdout.decode("utf-8"))
    except ValueError:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return {"error": said[-1][:300] if said else "its import ended the process with %d" % done.returncode}


def main():
    asked = json.loads(sys.argv[1])
    json.dump(
        {
            "python": sys.executable,
            "version": list(sys.version_info[:3]),
            "implementation": sys.implementation.name,
            "modules": {name: look(asked["roots"], name, asked["seconds"]) for name in asked["modules"]},
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
