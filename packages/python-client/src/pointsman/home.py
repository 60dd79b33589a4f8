"""The home: the folder in which Pointsman keeps everything that it writes."""

from __future__ import annotations

import hashlib
import os
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import quote, unquote

from .datasets import DataSet
from .rollouts import Rollouts
from .trajectory import Trajectory, read_trajectory

_LONGEST = 200


class NotFound(KeyError):
    """What was asked for is not in this home; the message says what is."""

    def __str__(self) -> str:
        return str(self.args[0])


class Home:
    """Opens the home at ``path``, else ``POINTSMAN_HOME``, else ``.pointsman`` of this folder or of the account."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        places = [path] if path is not None else [os.environ.get("POINTSMAN_HOME"), ".pointsman", Path.home() / ".pointsman"]
        found = [Path(place) for place in places if place and Path(place).is_dir()]
        if not found:
            raise NotFound(f"no Pointsman home at {path or 'POINTSMAN_HOME, ./.pointsman or ~/.pointsman'}: give its path")
        self.path = found[0].resolve()

    def blob(self, sha256: str) -> bytes:
        """Bytes of the store by their hash, which they are checked against. Raises ``NotFound``, or ``ValueError`` if damaged."""
        file = self.path / "blobs" / sha256[:2] / sha256[2:]
        if not file.is_file():
            raise NotFound(f"blob {sha256} is not in the store of {self.path}")
        data = file.read_bytes()
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ValueError(f"blob {sha256} is damaged: {file}")
        return data

    def trajectory(self, head: str) -> Trajectory:
        """The turns behind the hash of a head, first to last (``head`` of a rollout's result, of a row of a data set)."""
        return read_trajectory(self, head)

    def campaigns(self) -> list[str]:
        """Workflow ids of the campaigns that have ended."""
        return self._entries("campaigns")

    def rollouts(self, campaign: str) -> Rollouts:
        """The rollouts of a campaign, each with its verdict."""
        return Rollouts(self._folder("campaigns", campaign, self.campaigns()) / "rollouts.jsonl")

    def datasets(self) -> list[str]:
        """Names of the data sets."""
        return [name for name in self._entries("datasets") if (self.path / "datasets" / _entry(name) / "manifest.json").is_file()]

    def dataset(self, name: str) -> DataSet:
        """A data set by its name."""
        return DataSet(self._folder("datasets", name, self.datasets()))

    def _entries(self, room: str) -> list[str]:
        folder = self.path / room
        return sorted(unquote(entry.name) for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []

    def _folder(self, room: str, name: str, known: list[str]) -> Path:
        folder = self.path / room / _entry(name)
        if folder.is_dir():
            return folder
        close = get_close_matches(name, known, 1)
        meant = f", did you mean {close[0]!r}?" if close else f" (there are: {', '.join(known) or 'none'})"
        raise NotFound(f"{room}: there is no {name!r} in {self.path}{meant}")


def _entry(name: str) -> str:
    """The folder of a name, as Pointsman writes it (``src/store/entry-name.ts``)."""
    encoded = quote(name, safe="!'()*-._~")
    if encoded.startswith("."):
        encoded = f"%2E{encoded[1:]}"
    if len(encoded) <= _LONGEST:
        return encoded
    digest = hashlib.sha256(name.encode("utf-16-le", "surrogatepass")).hexdigest()
    return f"{encoded[: _LONGEST - len(digest) - 1]}~{digest}"
