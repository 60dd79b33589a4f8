"""Hypothesis strategies that make small, readable values: of a type, of what a default or a name suggests.

Constants that stand in the function's own code are tried as well: where it compares with 10 or looks for a comma, so
do we.
"""

import collections.abc
import dataclasses
import datetime
import enum
import inspect
import types
import typing

from hypothesis import strategies as st

_LETTERS = "abcdefgxyzABCXYZ0123456789 _-.,:'é"
_WORDS = (
    "",
    "a",
    "hello",
    "Hello World",
    "CamelCaseText",
    "snake_case_name",
    "  padded ",
    "123",
    "-4.5",
    "UPPER",
    "naïve café",
    "a,b;c",
    "key=value",
    "/path/to/file.txt",
    "2020-01-31",
    "first line\nsecond line",
    "aabbcc",
    "level",
)
_NAMES = (
    (
        ("func", "fn", "f", "g", "callback", "predicate", "pred", "key", "keyfunc", "binop", "op", "function"),
        typing.Callable,
    ),
    (
        (
            "text",
            "string",
            "s",
            "str",
            "word",
            "name",
            "sentence",
            "line",
            "msg",
            "message",
            "prefix",
            "suffix",
            "sep",
            "delimiter",
            "title",
            "label",
            "value_str",
            "pattern",
            "fmt",
            "format",
        ),
        str,
    ),
    (
        (
            "n",
            "num",
            "number",
            "count",
            "size",
            "length",
            "index",
            "i",
            "k",
            "m",
            "limit",
            "width",
            "depth",
            "start",
            "stop",
            "end",
            "step",
            "year",
            "month",
            "day",
            "digits",
            "times",
            "amount",
        ),
        int,
    ),
    (
        (
            "seq",
            "seqs",
            "items",
            "iterable",
            "it",
            "lst",
            "xs",
            "values",
            "elements",
            "numbers",
            "arr",
            "array",
            "coll",
            "sequence",
            "data",
        ),
        typing.List[int],
    ),
    (("d", "dic", "dict", "mapping", "mapping_", "options", "kwargs", "params", "attrs"), typing.Dict[str, int]),
    (("flag", "verbose", "strict", "reverse", "ignore_case", "inclusive"), bool),
    (("date", "when", "dt", "timestamp"), datetime.datetime),
    (("ratio", "rate", "percent", "factor", "x", "y", "weight", "tolerance", "seconds"), float),
)


class NoStrategy(Exception):
    """Says why there are no values of a type."""


class Strategies:
    """Strategies for the parameters of one function; `code` is searched for constants."""

    def __init__(self, code):
        strings, numbers = set(), set()
        _constants(code, strings, numbers)
        self._strings = sorted(strings)[:40]
        self._numbers = sorted({one + by for one in numbers for by in (-1, 0, 1)}, key=lambda one: (abs(one), one))[:40]

    def of_type(self, wanted, depth=3):
        """A strategy for a type as annotations write it. Raises `NoStrategy`."""
        if wanted is typing.Any or wanted is object or isinstance(wanted, typing.TypeVar):
            return self.anything()
        simple = self._simple(wanted)
        if simple is not None:
            return simple
        origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
        if origin is None and wanted in _BARE:
            origin, arguments = _BARE[wanted]
        if origin is None and isinstance(wanted, type) and getattr(wanted, "__module__", "") == "typing":
            origin = wanted
        if origin is not None:
            return self._generic(wanted, origin, arguments, depth)
        if isinstance(wanted, type):
            return self._instances(wanted, depth)
        if hasattr(wanted, "__supertype__"):
            return self.of_type(wanted.__supertype__, depth)
        raise NoStrategy("nothing is known of the type %s" % (wanted,))

    def of_value(self, value):
        """The value itself, and others of its type."""
        if value is None or callable(value) or isinstance(value, type):
            return st.just(value)
        if isinstance(value, (list, tuple, set, dict)) and value:
            return st.just(value)
        try:
            return st.one_of(st.just(value), self.of_type(type(value)))
        except NoStrategy:
            return st.just(value)

    def of_name(self, name):
        """What a parameter of this name usually is; None where the name says nothing."""
        lowered = name.lower().strip("_")
        if lowered.startswith(("is_", "has_", "use_", "with_", "allow_")):
            return st.booleans()
        for known, wanted in _NAMES:
            if lowered in known or lowered.rpartition("_")[2] in known:
                return self.of_type(wanted)
        return None

    def anything(self):
        plain = st.one_of(self._ints(), self._texts(), st.lists(self._ints(), max_size=5), st.booleans(), st.none())
        return st.one_of(
            plain, st.lists(self._texts(), max_size=4), st.dictionaries(self._texts(), self._ints(), max_size=3)
        )

    def _simple(self, wanted):
        if wanted is int:
            return self._ints()
        if wanted is str:
            return self._texts()
        if wanted is float:
            return st.one_of(
                self._ints().map(float),
                st.sampled_from((0.5, -1.25, 3.14159, 1e-3, 1e6, 99.99)),
                st.floats(-1e6, 1e6, allow_nan=False).map(lambda one: round(one, 3)),
            )
        if wanted is bool:
            return st.booleans()
        if wanted is bytes:
            return self._texts().map(lambda one: one.encode("utf-8"))
        if wanted is None or wanted is type(None):
            return st.none()
        if wanted is datetime.datetime:
            return st.datetimes(datetime.datetime(1999, 1, 1), datetime.datetime(2030, 1, 1)).map(
                lambda one: one.replace(microsecond=0)
            )
        if wanted is datetime.date:
            return st.dates(datetime.date(1999, 1, 1), datetime.date(2030, 1, 1))
        if wanted is datetime.timedelta:
            return st.builds(
                datetime.timedelta, days=st.integers(-400, 400), seconds=st.sampled_from((0, 1, 59, 60, 3600, 86399))
            )
        return None

    def _ints(self):
        return st.one_of(
            st.integers(-3, 12),
            st.sampled_from(self._numbers or [0]),
            st.integers(-1000, 1000),
            st.sampled_from((100, 1024, 999_999, 1_000_000, 10**9)),
        )

    def _texts(self):
        return st.one_of(
            st.sampled_from(_WORDS),
            st.sampled_from(self._strings or [""]),
            st.text(_LETTERS, max_size=12),
            st.lists(st.sampled_from(_WORDS[1:] + tuple(self._strings)), min_size=2, max_size=3).map(" ".join),
        )

    def _generic(self, wanted, origin, arguments, depth):
        if depth == 0:
            raise NoStrategy("%s is nested too deep" % (wanted,))
        inner = [one for one in arguments if one is not Ellipsis]
        if origin is typing.Union or origin is getattr(types, "UnionType", None):
            return st.one_of(*self._some(inner, depth))
        if origin is typing.Literal:
            return st.sampled_from(arguments)
        if origin is collections.abc.Callable:
            return self._callables(arguments)
        if origin is type:
            raise NoStrategy("a class is wanted")
        if origin is getattr(typing, "Annotated", None) or str(wanted).startswith("typing.Annotated"):
            return self.of_type(arguments[0], depth)
        if not isinstance(origin, type):
            raise NoStrategy("nothing is known of the type %s" % (wanted,))
        return self._collection(wanted, origin, arguments, depth)

    def _collection(self, wanted, origin, arguments, depth):
        element = self.of_type(arguments[0], depth - 1) if arguments and arguments[0] != () else st.integers(-3, 12)
        if issubclass(origin, tuple):
            if arguments and arguments[-1] is not Ellipsis:
                return st.tuples(*(self.of_type(one, depth - 1) for one in arguments if one != ()))
            return st.lists(element, max_size=5).map(tuple)
        if issubclass(origin, collections.abc.Mapping):
            value = self.of_type(arguments[1], depth - 1) if len(arguments) > 1 else st.integers(-3, 12)
            key = element if arguments else self._texts()
            return st.dictionaries(key, value, max_size=4)
        if issubclass(origin, collections.abc.Set):
            made = frozenset if origin is frozenset else set
            return st.lists(element, max_size=5).map(made)
        if issubclass(origin, (collections.abc.Iterator, collections.abc.Generator)):
            return st.lists(element, max_size=6).map(iter)
        if issubclass(origin, collections.abc.Iterable) and (
            origin is list or getattr(origin, "__module__", "") == "collections.abc"
        ):
            some = st.lists(element, max_size=6)
            return st.one_of(some, some, some.map(sorted) if arguments and arguments[0] in (int, float, str) else some)
        return self._instances(origin, depth)

    def _some(self, wanted, depth):
        found = []
        for one in wanted:
            try:
                found.append(self.of_type(one, depth - 1))
            except NoStrategy:
                continue
        if not found:
            raise NoStrategy("none of its types can be made")
        return found

    def _callables(self, arguments):
        """Functions that can be named: what they take decides which are tried."""
        taken = arguments[0] if arguments and isinstance(arguments[0], list) else None
        one = (str, len, abs, bool, type, repr)
        first = taken[0] if taken else None
        if first is str:
            one = (len, str.upper, str.lower, str.strip, bool)
        elif first in (int, float):
            one = (abs, str, bool, float)
        if taken is not None and len(taken) == 2:
            import operator

            return st.sampled_from((operator.add, operator.mul, operator.sub, max, min))
        return st.sampled_from(one)

    def _instances(self, cls, depth):
        if issubclass(cls, enum.Enum):
            return st.sampled_from(list(cls))
        if depth == 0:
            raise NoStrategy("%s is nested too deep" % cls.__name__)
        if typing.get_type_hints(cls) and issubclass(cls, dict):
            return st.fixed_dictionaries(
                {name: self.of_type(one, depth - 1) for name, one in typing.get_type_hints(cls).items()}
            )
        if inspect.isabstract(cls) or getattr(cls, "_is_protocol", False):
            raise NoStrategy("%s is abstract" % cls.__name__)
        if cls.__module__ in ("builtins", "collections", "decimal", "fractions", "uuid", "pathlib", "ipaddress", "re"):
            return self._of_hypothesis(cls)
        return self._constructed(cls, depth)

    def _of_hypothesis(self, cls):
        try:
            strategy = st.from_type(cls)
            strategy.validate()
            return strategy
        except Exception as error:
            raise NoStrategy("%s cannot be made: %s" % (cls.__name__, type(error).__name__))

    def _constructed(self, cls, depth):
        """Instances by the constructor, its parameters treated like those of any function."""
        try:
            signature = inspect.signature(cls)
            hints = _hints(cls if dataclasses.is_dataclass(cls) else cls.__init__)
        except (TypeError, ValueError):
            raise NoStrategy("%s has no constructor that can be read" % cls.__name__)
        parts = {}
        for name, parameter in signature.parameters.items():
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if parameter.kind is parameter.POSITIONAL_ONLY:
                raise NoStrategy("%s takes arguments by position only" % cls.__name__)
            wanted = hints.get(name)
            if wanted is not None:
                parts[name] = self.of_type(wanted, depth - 1)
            elif parameter.default is not parameter.empty:
                parts[name] = self.of_value(parameter.default)
            else:
                parts[name] = self.of_name(name) or self.anything()
        return st.builds(cls, **parts)


def _hints(function):
    try:
        return typing.get_type_hints(function)
    except Exception:
        return {}


def _constants(code, strings, numbers):
    docstring = (
        code.co_consts[0]
        if code.co_consts and isinstance(code.co_consts[0], str) and len(code.co_consts[0]) > 60
        else None
    )
    waiting = [one for one in code.co_consts if one is not docstring]
    while waiting:
        one = waiting.pop()
        if isinstance(one, types.CodeType):
            _constants(one, strings, numbers)
        elif isinstance(one, (tuple, frozenset)):
            waiting += one
        elif isinstance(one, str) and len(one) <= 40:
            strings.add(one)
        elif isinstance(one, int) and not isinstance(one, bool) and abs(one) < 10**12:
            numbers.add(one)


_BARE = {
    list: (list, ()),
    tuple: (tuple, ()),
    set: (set, ()),
    frozenset: (frozenset, ()),
    dict: (dict, ()),
    typing.Callable: (collections.abc.Callable, ()),
    collections.abc.Callable: (collections.abc.Callable, ()),
    collections.abc.Iterable: (collections.abc.Iterable, ()),
    collections.abc.Sequence: (collections.abc.Sequence, ()),
    collections.abc.Iterator: (collections.abc.Iterator, ()),
    collections.abc.Mapping: (collections.abc.Mapping, ()),
    typing.Iterable: (collections.abc.Iterable, ()),
    typing.Iterator: (collections.abc.Iterator, ()),
    typing.Sequence: (collections.abc.Sequence, ()),
    typing.Mapping: (collections.abc.Mapping, ()),
    typing.List: (list, ()),
    typing.Dict: (dict, ()),
    typing.Tuple: (tuple, ()),
    typing.Set: (set, ()),
}
