"""Python imports this when it starts, where this folder is on PYTHONPATH: loads our tracer, then what it stands in
front of.
"""

import os
import sys


def _start():
    guest = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, guest)
    try:
        from pointsman_guest.tracer import start_from_environment
    finally:
        sys.path.remove(guest)
    start_from_environment()


def _go_on():
    """Runs the `sitecustomize` of the environment, if it has one."""
    import importlib.machinery
    import importlib.util

    here = os.path.dirname(os.path.abspath(__file__))
    others = [path for path in sys.path if os.path.abspath(path) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if sys.version_info >= (3, 8) and "POINTSMAN_RECORD" in os.environ:
    _start()
    _go_on()
