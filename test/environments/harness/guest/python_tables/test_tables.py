"""Values of numpy and pandas: what is written as source gives the same value again, and what differs is seen."""
import json
import os
import unittest

import numpy
import pandas

from pointsman_guest.importable import Importable
from pointsman_guest.observe import Observer
from pointsman_guest.source import Writer
from pointsman_guest.unwritable import Unwritable


def look(value, **options):
    tree = Observer(**options).observe(value)
    json.dumps(tree, ensure_ascii=False, allow_nan=False).encode("utf-8")
    return tree


def again(value):
    """The value that its source gives."""
    writer = Writer(Importable(os.path.dirname(os.path.abspath(__file__)), []), lambda path: None)
    (text,) = writer.write([value])
    names = {}
    exec("\n".join(sorted(writer.imports) + writer.statements), names)
    return eval(text, names)


DAYS = pandas.date_range("2024-01-31", periods=3, freq="D")
PAIRS = pandas.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["letter", None])
VALUES = {
    "integers": numpy.arange(6, dtype="int16").reshape(2, 3),
    "floats": numpy.array([0.1, float("nan"), float("inf"), -0.0]),
    "half": numpy.array([0.5, 2.0], dtype="float16"),
    "long double": numpy.array([0.5, 2.0], dtype="longdouble"),
    "complex": numpy.array([1 + 2j, complex("nan")]),
    "truths": numpy.array([[True], [False]]),
    "texts": numpy.array(["a", "längere"]),
    "bytes": numpy.array([b"a", b"bc"]),
    "moments": numpy.array(["2024-01-31", "NaT"], dtype="datetime64[D]"),
    "spans": numpy.array([1, 90], dtype="timedelta64[s]"),
    "none": numpy.array([], dtype="float32"),
    "nothing wide": numpy.zeros((2, 0)),
    "a point": numpy.array(7),
    "columns first": numpy.asfortranarray(numpy.arange(6).reshape(2, 3)),
    "every other": numpy.arange(10)[::2],
    "scalar": numpy.float32(0.1),
    "scalar integer": numpy.int64(-3),
    "scalar truth": numpy.bool_(True),
    "scalar text": numpy.str_("ä"),
    "scalar moment": numpy.datetime64("2024-01-31T10:00", "m"),
    "scalar span": numpy.timedelta64(3, "h"),
    "scalar complex": numpy.complex128(1 + 2j),
    "series": pandas.Series([1, 2, 3], name="n"),
    "series with gaps": pandas.Series([1.5, None, 3], index=["x", "y", "z"]),
    "nullable": pandas.Series([1, None, 3], dtype="Int64"),
    "texts of pandas": pandas.Series(["a", None, "c"]),
    "objects": pandas.Series([1, "a", (2, 3)], dtype=object),
    "truths of pandas": pandas.Series([True, None], dtype="boolean"),
    "categories": pandas.Series(["low", "high", "low"], dtype="category"),
    "ordered categories": pandas.Series(pandas.Categorical(["low"], categories=["low", "high"], ordered=True)),
    "categories in another order": pandas.Series(pandas.Categorical(["low"], categories=["high", "low"])),
    "categories of an index": pandas.Index(["a", "b", "a"], dtype="category"),
    "by day": pandas.Series([1.0, 2.0, 3.0], index=DAYS),
    "by pair": pandas.Series([1, 2], index=PAIRS),
    "in a zone": pandas.Series(pandas.to_datetime(["2024-01-31 10:00"]).tz_localize("Europe/Zurich")),
    "frame": pandas.DataFrame({"n": [1, 2], "name": ["a", "b"], "share": [0.5, float("nan")]}),
    "frame by day": pandas.DataFrame({"v": [1, 2, 3]}, index=DAYS),
    "frame of pairs": pandas.DataFrame([[1, 2]], columns=PAIRS),
    "empty frame": pandas.DataFrame(),
    "frame without rows": pandas.DataFrame({"a": pandas.Series([], dtype="int64")}),
    "range": pandas.RangeIndex(0, 10, 2, name="r"),
    "index": pandas.Index(["b", "a"], name="i"),
    "days": DAYS,
    "moment": pandas.Timestamp("2024-01-31 10:00", tz="UTC"),
    "span": pandas.Timedelta(days=1, seconds=5),
    "moment of a hundred nanoseconds": pandas.Timestamp("2024-01-31 10:00:00.000000100"),
    "the second hour of two": pandas.Timestamp("2024-10-27 01:30", tz="UTC").tz_convert("Europe/Zurich"),
    "not a time": pandas.NaT,
    "not available": pandas.NA,
}
#: Said to be impossible to write, rather than written wrongly.
UNWRITTEN = {"long double", "nothing"}


class Tables(unittest.TestCase):
    def test_what_is_observed_is_the_same_each_time_and_unlike_everything_else(self):
        seen = {}
        for name, value in VALUES.items():
            with self.subTest(name):
                tree = look(value)
                self.assertNotEqual(tree["t"], "opaque")
                self.assertEqual(tree, look(value))
                text = json.dumps(tree)
                self.assertNotIn(text, seen, seen.get(text))
                seen[text] = name

    def test_source_gives_the_same_value_again(self):
        for name, value in VALUES.items():
            with self.subTest(name):
                try:
                    made = again(value)
                except Unwritable:
                    self.assertIn(name, UNWRITTEN)
                    continue
                self.assertEqual(look(made), look(value))
                self.assertEqual(type(made), type(value))

    def test_small_differences_are_seen(self):
        pairs = [
            (numpy.array([1, 2]), numpy.array([1, 3])),
            (numpy.array([1, 2]), numpy.array([[1, 2]])),
            (numpy.array([1, 2]), numpy.array([1.0, 2.0])),
            (numpy.array([1, 2]), [1, 2]),
            (numpy.float64(1), 1.0),
            (pandas.Series([1, 2]), pandas.Series([1, 2], index=[1, 0])),
            (pandas.Series([1, 2]), pandas.Series([1, 2], name="x")),
            (pandas.Series([1, None]), pandas.Series([1, 0])),
            (pandas.DataFrame({"a": [1], "b": [2]}), pandas.DataFrame({"b": [2], "a": [1]})),
            (pandas.DataFrame({"a": [1]}), pandas.DataFrame({"a": [1.0]})),
            (pandas.Series(["a"], dtype="category"), pandas.Series(["a"], dtype=object)),
        ]
        for one, other in pairs:
            with self.subTest("%r and %r" % (one, other)):
                self.assertNotEqual(look(one), look(other))

    def test_what_is_cut_still_differs(self):
        for make in (numpy.array, pandas.Series, pandas.Index, lambda values: pandas.DataFrame({"a": values})):
            one, other = list(range(1000)), list(range(999)) + [0]
            self.assertEqual(look(make(one), keep=10), look(make(one), keep=10))
            self.assertNotEqual(look(make(one), keep=10), look(make(other), keep=10))

    def test_masked_arrays(self):
        one = numpy.ma.masked_array([1, 2, 3], mask=[False, True, False])
        self.assertNotEqual(look(one), look(numpy.ma.masked_array([1, 2, 3], mask=[False, False, False])))
        self.assertEqual(look(one), look(one.copy()))
        look(numpy.ma.masked_array([1, 2, 3]))


if __name__ == "__main__":
    unittest.main()
