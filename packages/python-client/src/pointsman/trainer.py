"""Rollouts of ``pointsman serve`` for training loops: started by name, found again by name, never run twice."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

_URL = "http://127.0.0.1:8765"
_WAIT_SECONDS = 60.0
_PAUSE_SECONDS = 2.0


class Refused(ValueError):
    """The server will not have it, now or later; the message says what to change."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Unreachable(ConnectionError):
    """The server was away for longer than ``patience`` seconds. The rollouts go on; the same names find them."""


@dataclass(frozen=True)
class Rollout:
    """What came of a rollout, or how it stands."""

    id: str
    """``ROLLOUT_ID~ATTEMPT``."""
    task: Mapping[str, Any] | None
    """As it was given to ``rollouts``."""
    state: str
    valid: bool
    """Whether the reward says something of the model: an outage, a lost environment and a judge that could not judge do not."""
    reason: str
    reward: float | None
    """1 or 0; None where nothing can be said: never 0 for an outage."""
    rewards: Mapping[str, float] | None
    """Graded ones, from 0 to 1."""
    head: str | None
    """To read its trajectory by: ``Home().trajectory(head)``."""
    raw: dict[str, Any] = field(repr=False, compare=False)

    @property
    def ended(self) -> bool:
        return self.state != "running"


class Trainer:
    """A client of ``pointsman serve``. The token is the argument, ``POINTSMAN_SERVE_TOKEN``, or the one that this home keeps."""

    def __init__(
        self,
        url: str = _URL,
        token: str | None = None,
        *,
        home: str | os.PathLike[str] | None = None,
        patience: float = 600.0,
    ) -> None:
        self.url = url.rstrip("/")
        self.patience = patience
        self._token = token or os.environ.get("POINTSMAN_SERVE_TOKEN") or _token_of(home)

    def start(self, task: Mapping[str, Any]) -> Rollout:
        """Starts a rollout (``examples/schemas/rollout.json`` with a ``rollout_id``), or attaches to the one of that name.

        Waits while the server has as many as it takes. Raises ``Refused`` for a wrong task, and for one that is not what the
        name was started with.
        """
        return _rollout(self._ask("POST", "/rollouts", task), task)

    def get(self, id: str, wait: float = 0) -> Rollout:
        """How a rollout stands, after at most ``wait`` seconds. Raises ``Refused`` where there is none."""
        return _rollout(self._ask("GET", f"/rollouts/{quote(id, safe='~')}?wait={wait}", seconds=wait), None)

    def finish(self, id: str) -> Rollout:
        """Its end, however long it takes; or how it stands once an outage keeps it from going on."""
        while True:
            found = self.get(id, _WAIT_SECONDS)
            if found.ended or found.reason == "outage":
                return found

    def cancel(self, id: str) -> Rollout:
        """Ends it; what it came to until then is kept. One that has ended stays as it is."""
        return _rollout(self._ask("DELETE", f"/rollouts/{quote(id, safe='~')}"), None)

    def steps(self, id: str, after: int = 0) -> Iterator[dict[str, Any]]:
        """Its steps behind the first ``after``, as they come."""
        path = f"/rollouts/{quote(id, safe='~')}/steps"
        since = time.monotonic()
        while True:
            try:
                with self._open("GET", f"{path}?after={after}", None, 3600.0) as answer:
                    event = ""
                    for raw in answer:
                        line = raw.decode("utf-8").rstrip("\n")
                        if line.startswith("event: "):
                            event = line[7:]
                        elif line.startswith("data: ") and event == "end":
                            return
                        elif line.startswith("data: "):
                            step = json.loads(line[6:])
                            after, since = step["turn"], time.monotonic()
                            yield step
            except HTTPError as error:
                if error.code < 500:
                    raise _refused(error) from None
            except OSError:
                pass
            if time.monotonic() - since > self.patience:
                raise Unreachable(f"{self.url} sent no step for {self.patience:.0f} s")
            time.sleep(_PAUSE_SECONDS)

    def rollouts(self, tasks: Iterable[Mapping[str, Any]], *, concurrency: int = 64) -> Iterator[Rollout]:
        """Runs tasks, each with its ``rollout_id``, and yields each result when it is there, in the order in which they end.

        A loop that was killed gives the same tasks again and gets what exists; nothing runs twice. A result that is not
        ``valid`` is no reward of 0: leave it out, or give its task with the next ``attempt``. Tasks are taken as there is
        room, so that there may be no end of them.
        """
        results: queue.Queue[Rollout | BaseException] = queue.Queue()
        waiting = iter(tasks)
        inside = 0
        over = threading.Event()

        def run(task: Mapping[str, Any]) -> None:
            try:
                started = self.start(task)
                ended = started if started.ended or over.is_set() else self.finish(started.id)
                results.put(_rollout(ended.raw, task))
            except BaseException as error:
                results.put(error)

        try:
            while True:
                while inside < concurrency and (task := next(waiting, None)) is not None:
                    threading.Thread(target=run, args=(task,), daemon=True).start()
                    inside += 1
                if inside == 0:
                    return
                result = results.get()
                inside -= 1
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            over.set()

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None, *, seconds: float = 0) -> dict[str, Any]:
        since = time.monotonic()
        while True:
            pause = _PAUSE_SECONDS
            try:
                with self._open(method, path, body, seconds + 60.0) as answer:
                    return json.load(answer)
            except HTTPError as error:
                if error.code == 429:
                    since = time.monotonic()
                elif error.code < 500:
                    raise _refused(error) from None
                pause = float(error.headers.get("Retry-After") or pause)
                why: object = error
            except (URLError, OSError, json.JSONDecodeError) as error:
                why = error
            if time.monotonic() - since > self.patience:
                raise Unreachable(f"{self.url} was away for {self.patience:.0f} s: {why}; the rollouts go on")
            time.sleep(pause)

    def _open(self, method: str, path: str, body: Mapping[str, Any] | None, timeout: float) -> Any:
        data = None if body is None else json.dumps(body).encode("utf-8")
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        return urlopen(Request(f"{self.url}{path}", data, headers, method=method), timeout=timeout)


def _token_of(home: str | os.PathLike[str] | None) -> str:
    from .home import Home, NotFound

    file = Path(Home(home).path) / "run" / "serve-token"
    if not file.is_file():
        raise NotFound(f"{file} is not there: start `pointsman serve` in this home, or give its token")
    return file.read_text(encoding="utf-8").strip()


def _refused(error: HTTPError) -> Refused:
    try:
        said = json.loads(error.read())["error"]
        return Refused(error.code, f"{said['message']} {said['hint']}".strip())
    except (ValueError, KeyError, TypeError):
        return Refused(error.code, str(error))


def _rollout(raw: dict[str, Any], task: Mapping[str, Any] | None) -> Rollout:
    result = raw["result"] or {}
    return Rollout(
        id=raw["id"],
        task=task,
        state=raw["state"],
        valid=raw["valid"],
        reason=raw["reason"],
        reward=raw["reward"],
        rewards=raw["rewards"],
        head=result.get("head") or None,
        raw=raw,
    )
