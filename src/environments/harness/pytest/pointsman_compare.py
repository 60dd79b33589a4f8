"""Where two outcomes of a case first differ, as data: nothing of what the judged code made is asked.

Sets and dictionaries have no order, unless they are ordered ones; floats may differ a little; exceptions are compared by
type. A `ref` is what it refers to: whether two equal parts are one object is not compared.
"""
import math

RELATIVE = 1e-9
ABSOLUTE = 1e-12

#: What two trees of a kind must share beside their elements.
EQUAL = {
    "bool": ("v",),
    "int": ("v",),
    "scalar": ("type", "v"),
    "name": ("kind", "v"),
    "str": ("v", "cut"),
    "bytes": ("v", "cut"),
    "list": ("type", "cut"),
    "tuple": ("type", "cut"),
    "deque": ("type", "cut"),
    "set": ("type", "cut"),
    "frozenset": ("type", "cut"),
    "dict": ("type", "ordered", "cut"),
    "iterator": ("cut",),
    "array": ("type", "dtype", "shape", "cut"),
    "frame": ("type", "cut"),
    "object": ("type",),
    "exception": ("type",),
    "opaque": ("type",),
}


def first_difference(expected, actual):
    """In words; None where the outcomes are as good as equal. What did not answer equals nothing."""
    if expected["status"] not in ("returned", "raised") or actual["status"] != expected["status"]:
        return "the case %s, expected: %s" % (_ending(actual), _ending(expected))
    if expected["status"] == "raised":
        if expected["raised"]["type"] != actual["raised"]["type"]:
            return "the case %s, expected: %s" % (_ending(actual), _ending(expected))
    else:
        none = {"t": "none"}
        comparison = _Comparison(expected.get("value", none), actual.get("value", none))
        if comparison.difference:
            return comparison.difference
    for path in sorted(set(expected["files"]) | set(actual["files"])):
        if expected["files"].get(path) != actual["files"].get(path):
            return "the file %s is not what was expected" % path
    return None


def _ending(outcome):
    raised = outcome.get("raised")
    return outcome["status"] if not raised else "%s %s: %s" % (outcome["status"], raised["type"], raised["message"][:500])


class _Comparison:
    def __init__(self, expected, actual):
        self._expected = _referred(expected)
        self._actual = _referred(actual)
        self._met = set()
        self.difference = self._compare(expected, actual, "result")

    def _compare(self, a, b, path):
        expected = self._expected.get(a["v"], a) if a["t"] == "ref" else a
        actual = self._actual.get(b["v"], b) if b["t"] == "ref" else b
        if "ref" not in (a["t"], b["t"]):
            return self._unlike(expected, actual, path)
        # Met again while they are compared, they are equal as far as this goes.
        pair = (id(expected), id(actual))
        if pair in self._met:
            return None
        self._met.add(pair)
        found = self._unlike(expected, actual, path)
        if found:
            self._met.discard(pair)
        return found

    def _unlike(self, expected, actual, path):
        kind = expected["t"]
        differs = "%s is %s, expected: %s" % (path, _shown(actual), _shown(expected))
        if kind != actual["t"] or any(expected.get(key) != actual.get(key) for key in EQUAL.get(kind, ())):
            return differs
        if kind == "float":
            return None if _close(expected["v"], actual["v"]) else differs
        if kind == "complex":
            return None if all(_close(expected[part], actual[part]) for part in ("re", "im")) else differs
        if kind in ("list", "tuple", "deque", "array"):
            return self._in_order(expected["v"], actual["v"], path)
        if kind == "iterator":
            ends = [("raised",) if "raised" in tree else () for tree in (expected, actual)]
            found = self._in_order(expected["v"], actual["v"], path) or (differs if ends[0] != ends[1] else None)
            return found or (self._compare(expected["raised"], actual["raised"], path) if ends[0] else None)
        if kind in ("set", "frozenset"):
            return None if self._matched(expected["v"], actual["v"], self._equal) else differs
        if kind == "dict":
            return self._dictionaries(expected, actual, path, differs)
        if kind == "frame":
            parts = ("columns", "v")
            return self._compare(expected["index"], actual["index"], path + ".index") or next(
                filter(None, (self._in_order(expected[part], actual[part], path) for part in parts)), None
            )
        if kind == "object":
            return self._objects(expected, actual, path)
        return None

    def _in_order(self, expected, actual, path):
        for at, (one, other) in enumerate(zip(expected, actual)):
            found = self._compare(one, other, "%s[%d]" % (path, at))
            if found:
                return found
        if len(expected) != len(actual):
            return "%s has %d elements, expected: %d" % (path, len(actual), len(expected))
        return None

    def _equal(self, one, other):
        return self._compare(one, other, "") is None

    def _matched(self, expected, actual, equal):
        """Whether each of one has an equal of its own in the other."""
        left = list(actual)
        for one in expected:
            at = next((at for at, other in enumerate(left) if equal(one, other)), None)
            if at is None:
                return False
            del left[at]
        return not left

    def _dictionaries(self, expected, actual, path, differs):
        def same(one, other):
            return self._equal(one[0], other[0]) and self._equal(one[1], other[1])

        if len(expected["v"]) != len(actual["v"]):
            return differs
        if expected.get("ordered"):
            return None if all(map(same, expected["v"], actual["v"])) else differs
        return None if self._matched(expected["v"], actual["v"], same) else differs

    def _objects(self, expected, actual, path):
        state = dict(actual["state"])
        for name, value in expected["state"]:
            if name not in state:
                return "%s has no %s" % (path, name)
            found = self._compare(value, state.pop(name), "%s.%s" % (path, name))
            if found:
                return found
        return "%s has a %s that was not expected" % (path, min(state)) if state else None


def _close(one, other):
    if one == other:
        return True
    a, b = float.fromhex(one), float.fromhex(other)
    if math.isnan(a) and math.isnan(b):
        return True
    return math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _referred(root):
    """Trees that are referred to, by number."""
    found, waiting = {}, [root]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if "t" in each and "id" in each:
                found[each["id"]] = each
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
    return found


def _shown(tree):
    kind, value = tree["t"], tree.get("v")
    text = kind if value is None else "%s %s" % (tree.get("type", kind), value)
    return text if len(text) <= 300 else text[:300] + "..."
