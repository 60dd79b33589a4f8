import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import io
import itertools
import json
import pathlib
import re
import unittest

from pointsman_guest.observe import Observer


def look(value, **options):
    tree = Observer(**options).observe(value)
    # Whatever is observed can be written as JSON and as UTF-8.
    json.dumps(tree, ensure_ascii=False).encode("utf-8")
    return tree


def same(one, other):
    return look(one) == look(other)


class Colour(enum.Enum):
    RED = 1


class Slotted:
    __slots__ = ("a", "__b", "c")

    def __init__(self):
        self.a = 1
        self.__b = 2


class Stack(list):
    pass


class Liar:
    """Says that it is an int, that it equals all, and raises when asked anything else."""

    def __init__(self):
        object.__setattr__(self, "x", 1)

    __class__ = property(lambda self: int)
    __hash__ = None

    def __eq__(self, other):
        return True

    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __repr__(self):
        raise ValueError

    def __iter__(self):
        raise KeyError


class SlyMeta(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        raise RuntimeError

    def __getattribute__(cls, name):
        raise RuntimeError(name)


class Sly(metaclass=SlyMeta):
    pass


class WrongList(list):
    def __iter__(self):
        return iter([7])

    def __len__(self):
        return 99


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: object = None


class Leaves(unittest.TestCase):
    def test_numbers_are_exact(self):
        self.assertEqual(look(10**40), {"t": "int", "v": "1" + "0" * 40})
        self.assertEqual(look(0.1), {"t": "float", "v": (0.1).hex()})
        self.assertEqual(
            [look(one)["v"] for one in (float("nan"), float("inf"), -float("inf"))], ["nan", "inf", "-inf"]
        )
        self.assertNotEqual(look(10**5000), look(10**5000 + 1))
        self.assertNotEqual(look(True), look(1))
        self.assertNotEqual(look(1.0), look(1))

    def test_text_of_any_sort(self):
        self.assertEqual(look("é"), {"t": "str", "v": "é"})
        self.assertNotEqual(look("\ud800"), look("\ud801"))
        self.assertEqual(look(b"\xff")["v"], "/w==")
        long, other = look("a" * 100, keep=10), look("a" * 99 + "b", keep=10)
        self.assertEqual((long["v"], long["cut"]["of"]), ("a" * 10, 100))
        self.assertNotEqual(long, other)

    def test_no_address_and_no_scratch_name_leaves(self):
        self.assertTrue(same(repr(object()), repr([object()][0])))
        self.assertEqual(look("/tmp/x1/a", replace=[("/tmp/x1", "/scratch")])["v"], "/scratch/a")
        self.assertEqual(look(pathlib.PurePosixPath("/tmp/x1"), replace=[("/tmp/x1", "/scratch")])["v"], "/scratch")
        self.assertTrue(same(lambda: 1, lambda: 2))

    def test_values_with_one_spelling(self):
        utc = datetime.timezone.utc
        for one, other in (
            (datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 1, tzinfo=utc)),
            (datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1)),
            (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
            (re.compile("a"), re.compile("a", re.I)),
            (range(3), range(4)),
            (slice(1), slice(2)),
            (pathlib.PurePosixPath("a"), "a"),
            (Colour.RED, 1),
        ):
            self.assertTrue(same(one, one))
            self.assertFalse(same(one, other), (one, other))
        self.assertEqual(look(Colour.RED)["v"], "RED")

    def test_functions_and_classes_by_name(self):
        self.assertEqual(look(json.dumps), {"t": "name", "kind": "function", "v": "json.dumps"})
        self.assertEqual(look(len)["v"], "len")
        self.assertEqual(look(decimal.Decimal)["kind"], "class")
        self.assertFalse(same("a".join, "b".join))
        self.assertFalse(same(functools.partial(int, base=2), functools.partial(int, base=3)))


class Containers(unittest.TestCase):
    def test_sets_have_no_order_dictionaries_keep_theirs(self):
        self.assertTrue(same({"a", "b", "c"}, {"c", "b", "a"}))
        self.assertNotEqual(look({1}), look(frozenset({1})))
        self.assertTrue(look(collections.OrderedDict(a=1))["ordered"])
        self.assertNotIn("ordered", look({"a": 1}))

    def test_subclasses_say_what_they_are(self):
        pair = collections.namedtuple("Pair", "a b")
        self.assertEqual(look(pair(1, 2))["type"], __name__ + ".Pair")
        self.assertEqual(look(Stack([1]))["type"], __name__ + ".Stack")
        self.assertEqual(look(collections.Counter("aa"))["type"], "collections.Counter")
        stack = Stack([1])
        stack.name = "s"
        self.assertEqual([name for name, _ in look(stack)["state"]], ["<content>", "name"])

    def test_cut_elements_still_count(self):
        self.assertNotEqual(look(list(range(50)), keep=10), look(list(range(49)) + [0], keep=10))
        self.assertEqual(look(list(range(50)), keep=10)["cut"]["of"], 50)
        self.assertEqual(
            look({str(one) for one in range(50)}, keep=10), look({str(one) for one in reversed(range(50))}, keep=10)
        )

    def test_cycles_end_and_aliases_refer(self):
        loop = [1]
        loop.append(loop)
        self.assertEqual(look(loop), {"t": "list", "id": 0, "v": [{"t": "int", "v": "1"}, {"t": "ref", "v": 0}]})
        part = []
        self.assertEqual(look([part, part])["v"], [{"t": "list", "v": [], "id": 0}, {"t": "ref", "v": 0}])
        self.assertEqual(look([[], []])["v"], [{"t": "list", "v": []}] * 2)

    def test_depth_is_bounded(self):
        deep = []
        for _ in range(5000):
            deep = [deep]
        self.assertIn("too deep", json.dumps(look(deep)))


class Iterators(unittest.TestCase):
    def test_they_are_what_they_give(self):
        self.assertTrue(same((one for one in [1, 2]), iter([1, 2])))
        self.assertFalse(same(iter([1]), [1]))

    def test_endless_ones_are_cut(self):
        self.assertEqual(look(itertools.count())["cut"]["of"], 1000)

    def test_what_they_raise_midway_is_kept(self):
        def broken():
            yield 1
            raise KeyError("x")

        tree = look(broken())
        self.assertEqual((len(tree["v"]), tree["raised"]["type"]), (1, "KeyError"))

    def test_they_are_left_alone_when_that_is_asked(self):
        numbers = iter([1, 2])
        look([numbers], consume=False)
        self.assertEqual(list(numbers), [1, 2])


class Objects(unittest.TestCase):
    def test_state_by_attribute(self):
        self.assertEqual([name for name, _ in look(Slotted())["state"]], ["_Slotted__b", "a"])
        self.assertFalse(same(Point(1), Point(2)))
        self.assertEqual(look(Point(1)), look(Point(1)))

    def test_kept_results_are_no_state(self):
        class Lazy:
            @functools.cached_property
            def value(self):
                return 1

        one, other = Lazy(), Lazy()
        one.value
        self.assertTrue(same(one, other))

    def test_streams_and_exceptions(self):
        self.assertFalse(same(io.StringIO("a"), io.StringIO("b")))
        self.assertEqual([name for name, _ in look(io.BytesIO(b"a"))["state"]], ["value", "position"])
        self.assertEqual(look(KeyError("a"))["type"], "KeyError")

    def test_values_that_lie_or_raise_are_seen_as_they_are(self):
        tree = look(Liar())
        self.assertEqual((tree["t"], tree["type"]), ("object", __name__ + ".Liar"))
        self.assertEqual(tree["state"], [["x", {"t": "int", "v": "1"}]])
        self.assertNotEqual(tree, look(1))
        self.assertEqual(look(Sly())["type"], __name__ + ".Sly")
        self.assertEqual(look(WrongList([1, 2]))["v"], look([1, 2])["v"])
        self.assertEqual(look(object())["t"], "opaque")


if __name__ == "__main__":
    unittest.main()
