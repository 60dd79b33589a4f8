import collections
import datetime
import decimal
import enum
import fractions
import functools
import io
import itertools
import json
import operator
import os
import pathlib
import re
import tempfile
import unittest
import uuid

from pointsman_guest.importable import Importable
from pointsman_guest.recorded import arguments_digest
from pointsman_guest.source import Writer
from pointsman_guest.unwritable import Unwritable

OFFSET = 10


class Size(enum.Enum):
    SMALL = 1


class Here:
    """Of a test: it cannot be imported where the tests are not."""


def plus_offset(x, by=1):
    return x + by + OFFSET


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def write(value, files=lambda path: None):
    here = os.path.dirname(os.path.abspath(__file__))
    writer = Writer(Importable(here, []), files)
    (text,) = writer.write([value])
    return sorted(writer.imports) + writer.statements, text


def again(value):
    statements, text = write(value)
    scope = {}
    exec("\n".join(statements), scope)
    return eval(text, scope)


class Same(unittest.TestCase):
    def test_values_come_back(self):
        shared = [1]
        begun = iter([1, 2, 3])
        next(begun)
        stream = io.StringIO("abc")
        stream.read(1)
        for value in (
            None,
            True,
            12,
            -1.5,
            float("nan"),
            float("-inf"),
            complex(0, -1),
            "a\n'\"é\ud800",
            b"\x00'",
            [],
            (),
            (1,),
            {1, 2},
            set(),
            frozenset({"a"}),
            {"a": [(1, 2)]},
            [shared, {"b": shared}],
            collections.deque([1], 3),
            collections.OrderedDict(a=1),
            collections.Counter("aab"),
            collections.defaultdict(list, {1: [2]}),
            datetime.datetime(2020, 1, 2, 3),
            datetime.datetime(2020, 1, 2, tzinfo=datetime.timezone.utc),
            datetime.date(2020, 1, 2),
            datetime.time(1, 2),
            datetime.timedelta(1, 2),
            decimal.Decimal("1.10"),
            fractions.Fraction(1, 3),
            uuid.UUID(int=5),
            re.compile("a", re.I),
            pathlib.PurePosixPath("a/b"),
            range(1, 9, 2),
            slice(1, None),
            len,
            str.upper,
            "-".join,
            operator.itemgetter(1),
            json.dumps,
            functools.partial(int, base=2),
            re.I,
            begun,
            (one * 2 for one in [1, 2]),
            map(len, ["a"]),
            zip([1], "a"),
            itertools.count(2),
            enumerate(["a"]),
            reversed([1, 2]),
            stream,
            bytearray(b"a"),
            ValueError("x"),
            Ellipsis,
            json,
            int,
            10**30,
        ):
            with self.subTest(repr(value)):
                self.assertEqual(arguments_digest([again(value)], {}), arguments_digest([value], {}))

    def test_what_is_shared_stays_shared(self):
        part = [1]
        first, second = again([part, part])
        self.assertIs(first, second)

    def test_iterators_are_left_where_they_are(self):
        numbers = iter([1, 2, 3])
        self.assertEqual(list(again(numbers)), [1, 2, 3])
        self.assertEqual(list(numbers), [1, 2, 3])

    def test_functions_of_tests_come_with_what_they_refer_to(self):
        by = 3
        self.assertEqual(again(lambda x: x * by)(2), 6)
        self.assertEqual(again(plus_offset)(1), 12)
        self.assertEqual(again(factorial)(5), 120)
        two = [lambda x: x + 1, lambda x: x + 2]
        self.assertEqual([one(0) for one in again(two)], [1, 2])

        def counts(values, seen=None):
            """A docstring
            over lines."""
            return collections.Counter(values)[by]

        self.assertEqual(again(counts)([3, 3]), 2)

    def test_temporary_files_are_made_anew(self):
        statements, text = write("/tmp/a/words.txt", lambda path: "hello")
        self.assertEqual(text, "str(text_file('words.txt', 'hello'))")
        self.assertEqual(statements, ["from pointsman_cases import text_file"])


class Refused(unittest.TestCase):
    def test_with_a_reason(self):
        loop = []
        loop.append(loop)
        with tempfile.TemporaryFile() as file:
            for value, why in (
                (loop, "refers to itself"),
                (Here(), "without the tests"),
                (Size.SMALL, "without the tests"),
                (file, "file"),
                ("x" * 100_000, "too large"),
                (list(range(100_000)), "too large"),
            ):
                with self.subTest(why), self.assertRaisesRegex(Unwritable, why):
                    write(value)

    def test_generators_that_have_begun(self):
        begun = (one for one in [1, 2])
        next(begun)
        with self.assertRaises(Unwritable):
            write(begun)
        self.assertEqual(list(begun), [2])


if __name__ == "__main__":
    unittest.main()
