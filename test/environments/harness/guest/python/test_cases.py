import collections
import sys
import unittest

from pointsman_cases import call, named, rebuild
from pointsman_guest.observe import Observer


def parts(outcome):
    return dict(Observer().observe(outcome)["state"])


class Money(float):
    pass


class Picky:
    def __init__(self, required):
        raise AssertionError("never run")

    def __new__(cls, required):
        raise AssertionError("never run")


class Trouble(Exception):
    def __init__(self, required, other):
        raise AssertionError("never run")


class Call(unittest.TestCase):
    def test_returned_or_raised(self):
        self.assertEqual(parts(call(abs, -1)), {"returned": {"t": "int", "v": "1"}})
        self.assertEqual(parts(call(int, "x"))["raised"]["type"], "ValueError")
        self.assertEqual(parts(call(sys.exit, 3))["raised"]["type"], "SystemExit")
        self.assertEqual(list(parts(call(int, "x"))), ["raised"])

    def test_messages_are_not_kept(self):
        self.assertEqual(parts(call(int, "x")), parts(call(int, "y")))

    def test_arguments_that_were_changed(self):
        numbers = [3, 1]
        self.assertEqual(parts(call(numbers.sort))["changed self"]["v"][0]["v"], "1")
        self.assertNotIn("changed 0", parts(call(sorted, [3, 1])))

        def fill(into, key=None):
            into.append(1)
            key["a"] = 2
            return into

        found = parts(call(fill, [], key={}))
        self.assertEqual(list(found), ["returned", "changed 0", "changed key"])
        # What is returned is the very list that was given.
        self.assertEqual(found["changed 0"], {"t": "ref", "v": found["returned"]["id"]})

    def test_iterators_that_are_given_are_left_for_the_call(self):
        self.assertEqual(len(parts(call(list, iter([1, 2])))["returned"]["v"]), 2)

    def test_what_is_printed(self):
        self.assertEqual(parts(call(print, "a"))["printed"], {"t": "str", "v": "a\n"})

    def test_coroutines_run_to_their_end(self):
        async def double(x):
            return 2 * x

        self.assertEqual(parts(call(double, 2))["returned"]["v"], "4")


class Rebuild(unittest.TestCase):
    def test_no_constructor_runs(self):
        self.assertEqual(vars(rebuild(Picky, {"a": 1})), {"a": 1})
        self.assertEqual(rebuild(Trouble, {"code": 2}, ("x",)).args, ("x",))

    def test_content_of_derived_classes(self):
        money = rebuild(Money, {"unit": "EUR"}, 1.5)
        self.assertEqual((money, money.unit, type(money)), (1.5, "EUR", Money))
        self.assertEqual(rebuild(collections.Counter, {}, {"a": 2}), collections.Counter("aa"))

    def test_named(self):
        self.assertIs(named("collections", "Counter.most_common"), collections.Counter.most_common)


if __name__ == "__main__":
    unittest.main()
