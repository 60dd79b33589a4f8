"""Types and values in a few words, for docstrings and for choosing among calls."""

import reprlib
import types

from .names import class_name, inherits, without_addresses

_LOOKED_AT = 20
_WIDTH = 120


def type_text(value, depth=3):
    """The type as an annotation would say it: `list[int]`, `dict[str, list[float]]`, `pkg.module.Class`."""
    cls = type(value)
    name = class_name(cls)
    if cls is types.GeneratorType:
        return "generator"
    if cls is type(None):
        return "None"
    if depth == 0:
        return name
    if cls in (list, set, frozenset) or name == "collections.deque":
        return name + _of(list(value)[:_LOOKED_AT], depth)
    if cls is tuple:
        if len(value) > 4:
            inner = _of(value[:_LOOKED_AT], depth)
            return "tuple" + (inner[:-1] + ", ...]" if inner else "")
        return "tuple[%s]" % ", ".join(type_text(one, depth - 1) for one in value) if value else "tuple"
    if inherits(cls, dict) and cls.__module__ in ("builtins", "collections"):
        pairs = list(dict.items(value))[:_LOOKED_AT]
        if not pairs:
            return name
        keys, values = (_union([type_text(pair[at], depth - 1) for pair in pairs]) for at in (0, 1))
        return "%s[%s, %s]" % (name, keys, values)
    return name


def _of(elements, depth):
    return "[%s]" % _union([type_text(one, depth - 1) for one in elements]) if elements else ""


def _union(texts):
    return " | ".join(sorted(set(texts)))


class _Short(reprlib.Repr):
    """`repr` that bounds what it looks at, so that a large or recursive value costs nothing."""

    def __init__(self):
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = self.maxdeque = 8
        self.maxstring = self.maxother = self.maxlong = 80

    def repr_instance(self, x, level):
        if isinstance(x, types.GeneratorType):
            return "<generator>"
        return super().repr_instance(x, level)


def short_repr(value):
    """`repr` within bounds and without memory addresses; a value that raises when asked is named by its type."""
    try:
        text = _Short().repr(value)
    except Exception:
        text = "<%s>" % class_name(type(value))
    text = without_addresses(text)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."
