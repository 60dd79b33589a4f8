"""Source for iterators: what is left in them, where looking at it takes nothing from whoever is to get it."""

import itertools
import types
import warnings

from .names import class_name, defines
from .unwritable import Unwritable

_LEFT = 500
#: Iterators over containers: a copy of them can be run, and the original stays where it is.
_OVER_CONTAINERS = tuple(
    type(iter(one))
    for one in ([], (), "", b"", bytearray(), range(0), range(1 << 70), set(), {}, {}.values(), {}.items())
) + (type(reversed([])), type(reversed(range(0))))


def write(writer, value):
    """The expression, or None where the value is no iterator."""
    if type(value) in _OVER_CONTAINERS:
        return "iter(%s)" % writer.expression(_left(value))
    if type(value) is types.GeneratorType:
        return "iter(%s)" % writer.expression(_left(_generator_copy(value)))
    if not defines(type(value), "__next__") or type(value).__module__ not in ("builtins", "itertools"):
        return None
    return _made_of(writer, value)


def _left(iterator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copy = iterator if isinstance(iterator, types.GeneratorType) else _copy(iterator)
    left = list(itertools.islice(copy, _LEFT + 1))
    if len(left) > _LEFT:
        raise Unwritable("an iterator over too much")
    return left


def _copy(iterator):
    parts = iterator.__reduce__()
    copy = parts[0](*parts[1])
    if len(parts) > 2 and parts[2] is not None:
        copy.__setstate__(parts[2])
    return copy


def _made_of(writer, value):
    """`map`, `zip` and the like, made anew of the iterators that they have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parts = value.__reduce__()
        except Exception:
            parts = None
    if type(parts) is not tuple:
        raise Unwritable("a %s cannot be looked into" % class_name(type(value)))
    if len(parts) == 2 or parts[2] is None:
        return writer.call(parts[0], *parts[1])
    if type(value) is itertools.chain and len(parts[2]) == 1:
        return (
            "itertools.chain.from_iterable(%s)" % writer.expression(parts[2][0])
            if writer.reference(itertools.chain)
            else None
        )
    raise Unwritable("a %s that has begun" % class_name(type(value)))


def _generator_copy(value):
    """A second generator like one that has not begun; only expressions, since a function may do anything while it
    runs.
    """
    frame, code = value.gi_frame, value.gi_code
    if frame is None:
        return iter(())
    if code.co_name != "<genexpr>" or frame.f_lasti > 4 + 2 * len(code.co_freevars) or value.gi_running:
        raise Unwritable("a generator")
    local = frame.f_locals
    source = local.get(".0")
    if type(source) not in _OVER_CONTAINERS or not all(name in local for name in code.co_freevars):
        raise Unwritable("a generator")
    cells = tuple(types.CellType(local[name]) for name in code.co_freevars)
    make = types.FunctionType(code, frame.f_globals, code.co_name, None, cells)
    return make(iter(_left(source)))
