"""Types of parameters as docstrings tell them, in the styles of Google, NumPy and Sphinx, and types out of such
words.
"""

import datetime
import decimal
import re
import typing

_SPHINX_TYPE = re.compile(r":type\s+(\w+):\s*(.+)")
_SPHINX_PARAM = re.compile(r":param\s+([^:]+?)\s+(\w+):")
_NUMPY = re.compile(r"^\s*(\w+)\s*:\s*(\S.*)$")
_GOOGLE = re.compile(r"^\s+\*{0,2}(\w+)\s*\(([^)]+)\):")
_OF = re.compile(r"^(list|tuple|set|sequence|iterable|collection|array)s?\s+of\s+(.+)$")
_GENERIC = re.compile(r"^([\w.]+)\[(.*)\]$")

_WORDS = {
    "int": int,
    "integer": int,
    "float": float,
    "number": float,
    "double": float,
    "numeric": float,
    "str": str,
    "string": str,
    "text": str,
    "unicode": str,
    "bool": bool,
    "boolean": bool,
    "bytes": bytes,
    "list": list,
    "tuple": tuple,
    "set": set,
    "dict": dict,
    "dictionary": dict,
    "mapping": dict,
    "none": type(None),
    "nonetype": type(None),
    "sequence": list,
    "iterable": typing.Iterable,
    "callable": typing.Callable,
    "function": typing.Callable,
    "iterator": typing.Iterator,
    "generator": typing.Iterator,
    "object": object,
    "any": typing.Any,
    "frozenset": frozenset,
    "complex": complex,
    "char": str,
    "datetime": datetime.datetime,
    "datetime.datetime": datetime.datetime,
    "date": datetime.date,
    "datetime.date": datetime.date,
    "timedelta": datetime.timedelta,
    "datetime.timedelta": datetime.timedelta,
    "decimal": decimal.Decimal,
    "decimal.decimal": decimal.Decimal,
    "array": list,
    "collection": list,
}
_GENERICS = {
    "list": typing.List,
    "tuple": typing.Tuple,
    "set": typing.Set,
    "dict": typing.Dict,
    "sequence": typing.List,
    "iterable": typing.Iterable,
    "optional": typing.Optional,
    "union": typing.Union,
    "frozenset": typing.FrozenSet,
    "iterator": typing.Iterator,
    "mapping": typing.Dict,
    "collection": typing.List,
    "array": typing.List,
}


def documented_types(docstring):
    """Words for the type of each parameter that has any."""
    found = {}
    for line in (docstring or "").splitlines():
        for pattern, name, words in ((_SPHINX_TYPE, 1, 2), (_SPHINX_PARAM, 2, 1), (_GOOGLE, 1, 2), (_NUMPY, 1, 2)):
            match = pattern.search(line) if pattern in (_SPHINX_TYPE, _SPHINX_PARAM) else pattern.match(line)
            if match:
                found.setdefault(match.group(name), match.group(words).strip())
                break
    return found


def type_of_words(words):
    """The type that words like `list of str`, `int or None` or `dict[str, int]` mean; None where they mean none that
    is known.
    """
    text = re.sub(r"[`*]|:\w+:", "", words).strip().rstrip(".")
    text = re.sub(r",?\s*(optional|required|default\b.*|defaults to\b.*)$", "", text, flags=re.I).strip().rstrip(",")
    choices = re.match(r"^(?:one of\s*)?\{(.+)\}$", text)
    if choices:
        return _literal(choices.group(1))
    parts = _split(text, r"\s*(?:\||\bor\b|/)\s*")
    if len(parts) > 1:
        return _union(parts)
    lowered = text.lower()
    if lowered in _WORDS:
        return _WORDS[lowered]
    match = _OF.match(lowered)
    if match:
        inner = type_of_words(match.group(2)) or type_of_words(match.group(2).rstrip("s"))
        return (
            _GENERICS[match.group(1)][inner]
            if inner is not None and match.group(1) != "tuple"
            else _WORDS[match.group(1)]
        )
    match = _GENERIC.match(text)
    if match:
        return _subscripted(match.group(1).rpartition(".")[2].lower(), _split(match.group(2), r"\s*,\s*"))
    parts = _split(text, r"\s*,\s*")
    return _union(parts) if len(parts) > 1 else None


def _split(text, separator):
    """Parts between separators that stand in no bracket."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        match = re.compile(separator, re.I).match(text, at) if depth == 0 else None
        if match and match.end() > at:
            parts.append(text[start:at])
            start = at = match.end()
            continue
        depth += {"[": 1, "(": 1, "{": 1, "]": -1, ")": -1, "}": -1}.get(text[at], 0)
        at += 1
    return [part for part in parts + [text[start:]] if part]


def _union(parts):
    types = [type_of_words(part) for part in parts]
    known = [one for one in types if one is not None]
    return typing.Union[tuple(known)] if known else None


def _subscripted(name, parts):
    if name not in _GENERICS:
        return None
    variadic = name == "tuple" and parts[-1] == "..."
    types = [type_of_words(part) for part in (parts[:-1] if variadic else parts)]
    if any(one is None for one in types):
        return _WORDS.get(name)
    try:
        return _GENERICS[name][
            types[0] if len(types) == 1 and not variadic else tuple(types) + ((Ellipsis,) if variadic else ())
        ]
    except TypeError:
        return _WORDS.get(name)


def _literal(text):
    values = [part.strip().strip("'\"") for part in text.split(",")]
    return typing.Literal[tuple(int(one) if re.match(r"^-?\d+$", one) else one for one in values)]
