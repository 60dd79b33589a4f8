"""Runs PyCG over every file of a package and prints what that took, as one line of JSON."""
# PyCG uses importlib.util without importing it, and loses every edge inside the package then.
import importlib.util  # noqa: F401
import json
import os
import resource
import sys
import time

import PyCG

# Its own modules import each other by another name than it is installed under.
sys.modules["pycg"] = PyCG
from pycg.pycg import CallGraphGenerator  # noqa: E402

root, package = os.path.abspath(sys.argv[1]), sys.argv[2]
files = [
    os.path.join(folder, name)
    for folder, _, names in os.walk(os.path.join(root, package))
    for name in sorted(names)
    if name.endswith(".py")
]
started = time.time()
result = {"files": len(files)}
try:
    generator = CallGraphGenerator(files, root, -1, "call-graph")
    generator.analyze()
    graph = {caller: sorted(callees) for caller, callees in generator.output().items()}
    result.update(names=len(graph), edges=sum(map(len, graph.values())))
    if len(sys.argv) > 3:
        with open(sys.argv[3], "w") as out:
            json.dump(graph, out)
except BaseException as error:
    result["error"] = type(error).__name__
result["seconds"] = time.time() - started
result["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(result))
