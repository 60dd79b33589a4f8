"""Validates documents against Harbor's own model of ATIF.

Arguments: a JSONL of documents. Prints how many there were, and how many steps in them.
"""

import json
import sys

from harbor.models.trajectories import Trajectory


def main(path):
    with open(path, encoding="utf-8") as lines:
        documents = [Trajectory.model_validate(json.loads(line)) for line in lines]
    print(json.dumps({"documents": len(documents), "steps": sum(len(document.steps) for document in documents)}))


main(*sys.argv[1:])
