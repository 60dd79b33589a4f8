"""Data sets: training files, and where each of their rows came from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import datasets
    import pandas


class DataSet:
    """The folder of one data set."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))

    @property
    def files(self) -> list[str]:
        """Training files: ``SPLIT.FORMAT.jsonl`` and ``.parquet``."""
        return [file["path"] for file in self.manifest["files"]]

    def rows(self, format: str = "universal", split: str = "train") -> Iterator[dict[str, Any]]:
        """The records of one format, one at a time. Raises ``FileNotFoundError`` with the files there are."""
        return _lines(self._file(format, split))

    def origins(self) -> Iterator[dict[str, Any]]:
        """Of each row its rollout, head and trained turns, in the order of the files (``dataset audit`` checks them)."""
        return _lines(self.folder / "rows.jsonl")

    def dropped(self) -> Iterator[dict[str, Any]]:
        """Rollouts that are not in it, each with stage, reason and what shows it."""
        return _lines(self.folder / "dropped.jsonl")

    def to_pandas(self, format: str = "universal", split: str = "train") -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(list(self.rows(format, split)))

    def to_datasets(self, format: str = "universal", split: str = "train") -> datasets.Dataset:
        """For Hugging Face's ``datasets``: memory-mapped, not read whole."""
        import datasets

        return datasets.load_dataset("json", data_files=str(self._file(format, split)), split="train")

    def _file(self, format: str, split: str) -> Path:
        name = f"{split}.{format}.jsonl"
        if name not in self.files:
            raise FileNotFoundError(f"{self.folder} has no {name}; it has {', '.join(self.files)}")
        return self.folder / name


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
