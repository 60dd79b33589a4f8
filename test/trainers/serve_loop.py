"""A training loop over `pointsman serve`: `serve_loop.py URL TASKS STOP_AFTER`; prints what it was given."""

import json
import os
import signal
import sys

from pointsman import Refused, Trainer

url, tasks, stop_after = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
trainer = Trainer(url)
results = []
for result in trainer.rollouts(tasks, concurrency=8):
    results.append([result.task["rollout_id"], result.valid, result.reward, result.head])
    if len(results) == stop_after:
        os.kill(os.getpid(), signal.SIGKILL)

refused = {}
for name, change in {"body": {"seed": 5}, "field": {"studnt": "x"}}.items():
    try:
        trainer.start({**tasks[0], **change})
    except Refused as error:
        refused[name] = [error.status, str(error)]
steps = [[step["turn"], step["tool"]] for step in trainer.steps(tasks[0]["rollout_id"])]
print(json.dumps({"results": results, "refused": refused, "steps": steps}))
