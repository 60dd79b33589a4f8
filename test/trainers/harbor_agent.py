"""An agent of Harbor that goes on from a task's trajectory with fixed commands, and records what it did in ATIF."""

import json
import os

from harbor.agents.base import BaseAgent
from harbor.agents.capabilities import AgentCapabilities


class Scripted(BaseAgent):
    capabilities = AgentCapabilities(atif=True, load_atif_trajectory=True)

    @staticmethod
    def name():
        return "scripted"

    def version(self):
        return "3.1"

    async def setup(self, environment):
        return

    async def run(self, instruction, environment, context):
        await self._go_on({"schema_version": "ATIF-v1.7", "session_id": "new", "steps": []}, environment)

    async def load(self, instruction, environment, context):
        with open(self.load_trajectory) as file:
            await self._go_on(json.load(file), environment)

    async def _go_on(self, document, environment):
        steps = document["steps"]
        for number, command in enumerate(json.loads(os.environ["SCRIPT"])):
            ran = await environment.exec(command=command)
            steps.append(
                {
                    "step_id": len(steps) + 1,
                    "source": "agent",
                    "message": f"go on {number}",
                    "tool_calls": [
                        {"tool_call_id": f"call-{number}", "function_name": "Bash", "arguments": {"command": command}}
                    ],
                    "observation": {"results": [{"source_call_id": f"call-{number}", "content": ran.stdout or ""}]},
                }
            )
        steps.append({"step_id": len(steps) + 1, "source": "agent", "message": "It adds now."})
        agent = {"name": "scripted", "version": "3.1", "model_name": "a-script"}
        (self.logs_dir / "trajectory.json").write_text(json.dumps({**document, "agent": agent, "steps": steps}))
