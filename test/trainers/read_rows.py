"""Reads a data set's files with Hugging Face's datasets and with pyarrow, and compares them row for row with JSON itself.

Arguments: pairs of a JSONL and a Parquet file. Prints one JSON object: what differs, by file.
"""

import json
import sys
import tempfile

import datasets
import pyarrow.parquet


def plain(value):
    """Without what is null: loaders give every row every column. Text that is JSON of an object stays text."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def difference(expected, found, path="$"):
    """Where two values differ first, as text; None where they are equal."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(set(expected) | set(found)):
            if key not in expected or key not in found:
                return f"{path}.{key} is in one only"
            inner = difference(expected[key], found[key], f"{path}.{key}")
            if inner:
                return inner
        return None
    if isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            return f"{path} has {len(found)} items, not {len(expected)}"
        for i, pair in enumerate(zip(expected, found)):
            inner = difference(*pair, f"{path}[{i}]")
            if inner:
                return inner
        return None
    # datasets writes values of no one type (steps, nodes) once more, with ten digits behind the point.
    if isinstance(expected, float) and isinstance(found, float) and abs(expected - found) < 1e-9:
        return None
    return None if expected == found else f"{path} is {found!r:.200}, not {expected!r:.200}"


def decoded(value, like):
    """pyarrow leaves JSON columns text: decoded where the record has something else there."""
    if isinstance(value, str) and not isinstance(like, str):
        return json.loads(value)
    if isinstance(value, dict) and isinstance(like, dict):
        return {key: decoded(inner, like.get(key)) for key, inner in value.items()}
    if isinstance(value, list) and isinstance(like, list):
        return [decoded(*pair) for pair in zip(value, like)]
    return value


def compare(expected, found):
    if len(expected) != len(found):
        return f"{len(found)} rows, not {len(expected)}"
    for i, (row, other) in enumerate(zip(expected, found)):
        inner = difference(plain(row), plain(other), f"row {i}")
        if inner:
            return inner
    return None


def main(paths):
    problems = {}
    rows = 0
    for jsonl, parquet in zip(paths[::2], paths[1::2]):
        with open(jsonl, encoding="utf-8") as lines:
            expected = [json.loads(line) for line in lines]
        rows += len(expected)
        with tempfile.TemporaryDirectory() as cache:
            stored = pyarrow.parquet.read_table(parquet).to_pylist()
            read = {
                f"{jsonl} by datasets": datasets.load_dataset("json", data_files=jsonl, split="train", cache_dir=cache),
                f"{parquet} by datasets": datasets.load_dataset(
                    "parquet", data_files=parquet, split="train", cache_dir=cache
                ),
                f"{parquet} by pyarrow": [decoded(row, like) for row, like in zip(stored, expected)],
            }
            for name, found in read.items():
                problem = compare(expected, list(found))
                if problem:
                    problems[name] = problem
    print(json.dumps({"rows": rows, "problems": problems}))


main(sys.argv[1:])
