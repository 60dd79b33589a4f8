"""A trajectory: who acted, what was done, and what came back, turn by turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas

    from .home import Home


@dataclass(frozen=True)
class Step:
    """One turn with its output."""

    turn: int
    """Counted from 1."""
    author: Literal["student", "expert"]
    profile: str
    model: str
    thought: str
    tool: str
    args: dict[str, Any]
    observation: str
    """What the action printed, as it left the sandbox."""
    exit_code: int | None
    """None where the command was killed, or where there was none."""
    cost_usd: float
    prompt_tokens: int
    completion_tokens: int
    sha256: str
    """Hash of the step: the head of a trajectory that ends here."""
    raw: dict[str, Any] = field(repr=False, compare=False)
    """All that is recorded of it (``examples/schemas/step.json``)."""


@dataclass(frozen=True)
class Trajectory:
    """The steps behind one head."""

    problem: str
    statement: str
    """The task, as the models were given it."""
    workdir: str
    steps: tuple[Step, ...]
    head: str

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def to_pandas(self) -> pandas.DataFrame:
        """One row a turn."""
        import pandas

        columns = [name for name in Step.__dataclass_fields__ if name != "raw"]
        return pandas.DataFrame([{name: getattr(step, name) for name in columns} for step in self.steps], columns=columns)


def read_trajectory(home: Home, head: str) -> Trajectory:
    """Walks from the head to the first link: each names the one before it."""
    steps: list[Step] = []
    at = head
    while True:
        link = json.loads(home.blob(at))
        if link["kind"] == "opening":
            return Trajectory(link["problemId"], link["statement"], link["workdir"], tuple(reversed(steps)), head)
        if link["kind"] != "step":
            raise ValueError(f"blob {at} is a {link['kind']}, and no step of a rollout")
        turn, seen = link["turn"], link["observation"]
        steps.append(
            Step(
                turn=turn["turn"],
                author=turn["author"],
                profile=turn["profile"],
                model=turn["model"],
                thought=turn["thought"],
                tool=turn["action"]["tool"],
                args=turn["action"]["args"],
                observation=home.blob(seen["text"]["sha256"]).decode("utf-8", "replace"),
                exit_code=seen["exitCode"],
                cost_usd=turn["usage"]["costUsd"],
                prompt_tokens=turn["usage"]["promptTokens"],
                completion_tokens=turn["usage"]["completionTokens"],
                sha256=at,
                raw=link,
            )
        )
        at = link["parent"]
