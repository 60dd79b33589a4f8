"""Tasks and harness for `verifiers` (0.4): a rollout of Pointsman whose every model call goes through its interception.

``vf-eval pointsman-verifiers --env.taskset.tasks tasks.jsonl --env.agent.runtime.type subprocess …``: verifiers samples, records
and trains; Pointsman has the sandbox, the loop, and the judge. Its server has to allow the interception's address:
``endpoints: [{baseUrl: 'http://127.0.0.1', anyPort: true}]``.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf
from pointsman.trainer import Rollout, Trainer

__all__ = ["PointsmanHarness", "PointsmanTaskset"]

_INFO = "pointsman"


class PointsmanData(vf.TaskData):
    rollout: dict[str, Any]
    """A rollout without its name (``examples/schemas/rollout.json``): problem, student, limits, …"""


class PointsmanTask(vf.Task[PointsmanData]):
    @vf.reward(weight=1.0)
    async def resolved(self, trace: vf.Trace) -> float:
        return float(trace.info[_INFO]["reward"])

    @vf.metric
    async def graded(self, trace: vf.Trace) -> float:
        return float(trace.info[_INFO]["rewards"]["graded"])


class PointsmanTasksetConfig(vf.TasksetConfig):
    tasks: Path = Path("tasks.jsonl")
    """JSONL, a rollout a line, without names."""


class PointsmanTaskset(vf.Taskset[PointsmanTask, PointsmanTasksetConfig]):
    def load(self) -> Iterator[PointsmanTask]:
        lines = self.config.tasks.expanduser().read_text(encoding="utf-8").splitlines()
        for line in filter(str.strip, lines):
            rollout = json.loads(line)
            problem = rollout["problem"]
            name = problem if isinstance(problem, str) else problem.get("id", "problem")
            # What the model is told is the problem's own statement, in the dialect of its profile.
            yield PointsmanTask(PointsmanData(name=name, prompt=name, rollout=rollout), self.config.task)


class PointsmanHarnessConfig(vf.HarnessConfig):
    url: str = "http://127.0.0.1:8765"
    """Of ``pointsman serve``."""
    token_env: str = "POINTSMAN_SERVE_TOKEN"
    """Variable with its token; where it is not set, the one of this home."""
    student: str | None = None
    """Profile of the student, for tasks that name none: its dialect and limits; its model is the one that is evaluated."""


class PointsmanHarness(vf.Harness[PointsmanHarnessConfig]):
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: PointsmanData,
    ) -> vf.ProgramResult:
        trainer = Trainer(self.config.url, os.environ.get(self.config.token_env))
        asked = {"handOver": {"never": True}, **data.rollout}
        if self.config.student is not None:
            asked.setdefault("student", self.config.student)
        body = {**asked, "rollout_id": trace.id, "endpoints": {"student": {"baseUrl": endpoint, "apiKey": secret}}}
        started = await asyncio.to_thread(trainer.start, body)
        try:
            ended: Rollout = await asyncio.to_thread(trainer.finish, started.id)
        except asyncio.CancelledError:
            # The interception is gone with this trace: no call of it would be answered any more.
            trainer.cancel(started.id)
            raise
        trace.info[_INFO] = {name: ended.raw[name] for name in ("id", "state", "valid", "reason", "detail", "reward", "rewards")}
        trace.info[_INFO]["head"] = ended.head
        if not ended.valid:
            # An error and no reward of 0: verifiers leaves such a trace out.
            if not ended.ended:
                await asyncio.to_thread(trainer.cancel, started.id)
            return vf.ProgramResult(1, "", f"{ended.reason}: {ended.raw['detail'] or 'no verdict on the model'}")
        return vf.ProgramResult(0, "", "")
