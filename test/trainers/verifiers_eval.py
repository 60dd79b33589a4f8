"""An evaluation by verifiers with our tasks and harness: `verifiers_eval.py MODEL_URL MODEL SERVE_URL TASKS OUT`."""

import json
import sys
from pathlib import Path

from verifiers.v1.cli.eval.main import main

model_url, model, serve_url, tasks, out = sys.argv[1:]
main(
    [
        "pointsman-verifiers",
        *["--env.taskset.tasks", tasks],
        *["--env.agent.harness.id", "pointsman-verifiers", "--env.agent.harness.url", serve_url, "--env.agent.harness.student", "student"],
        *["--env.agent.runtime.type", "subprocess"],
        *["--model", model, "--client.base-url", model_url, "--client.api-key-var", "MODEL_KEY"],
        *["--num-rollouts", "2", "--max-concurrent", "4", "--run.name", "run"],
        *["--output-dir", out, "--no-push", "--no-rich"],
    ]
)
traces = []
for line in (Path(out) / "run" / "traces.jsonl").read_text(encoding="utf-8").splitlines():
    record = json.loads(line)
    for trace in record.get("traces", [record]):
        traces.append(
            {
                "name": trace["task"]["data"]["name"],
                "rewards": trace["rewards"],
                "ok": trace["ok"],
                "errors": [error["message"] for error in trace["errors"]],
                "calls": len(trace["calls"]),
                "sampled": [node["message"]["role"] for node in trace["nodes"] if node.get("sampled")],
                "info": trace["info"].get("pointsman"),
            }
        )
print(json.dumps(traces))
