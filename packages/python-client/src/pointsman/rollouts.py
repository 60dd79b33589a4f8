"""The rollouts of a campaign."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


class Rollouts:
    """Lines of ``rollouts.jsonl`` (``examples/schemas/rollout-row.json``), read when they are asked for."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __iter__(self) -> Iterator[dict[str, Any]]:
        with self.file.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    yield json.loads(line)

    def to_pandas(self) -> pandas.DataFrame:
        """One row a rollout: what it was, how it ended, its verdict, and the head to read it by."""
        import pandas

        return pandas.DataFrame([_flat(row) for row in self])


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    result = row["result"] or {}
    turns, cost, grade = (result.get(name) or {} for name in ("turns", "cost", "grade"))
    return {
        **{name: row[name] for name in ("id", "instance", "method", "pass", "student", "expert", "outcome", "seconds")},
        "status": result.get("status"),
        "resolved": result.get("resolved"),
        "verdict": grade.get("verdict"),
        "turns": turns.get("total"),
        "student_turns": turns.get("student"),
        "expert_turns": turns.get("expert"),
        "cost_usd": cost.get("usd"),
        "error": row.get("error"),
        "head": result.get("head"),
    }
