"""Runs the cases of a harness: `python run.py REQUEST OUTPUT`, a file with a `RunRequest` and a file or descriptor
for lines.
"""

import os
import sys

sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != os.path.dirname(os.path.abspath(__file__))]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from pointsman_guest.channel import answer  # noqa: E402
from pointsman_guest.supervise import run  # noqa: E402

if __name__ == "__main__":
    answer(run)
