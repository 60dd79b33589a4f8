"""A call that was seen, as the lines of a case that makes it again."""

import functools
import gc
import hashlib
import inspect
import json
import keyword
import sys
import types

from .calls import parameters
from .describe import type_text
from .names import class_name
from .observe import Observer


class SeenCall:
    """A call of a subject: how its function is reached from the case, and the arguments as they would be written."""

    def __init__(self, subject, frame):
        values = {name: frame.f_locals[name] for name in parameters(frame.f_code)}
        defaults = _defaults(frame.f_code, subject["module"], subject["name"])
        self.positional, self.named = _split(defaults, frame.f_code, values)
        self.function = "subject"
        if subject["kind"] != "function":
            self._reach(subject)

    def case(self, writer):
        return case_of(self.function, self.positional, self.named, writer)

    def _reach(self, subject):
        owners = subject["name"].rpartition(".")[0]
        name = method_name(subject["name"])
        self.function = "subject." + name
        cls = functools.reduce(
            lambda at, part: getattr(at, part, None), owners.split("."), sys.modules.get(subject["module"])
        )
        if subject["kind"] == "classmethod":
            if self.positional[0] is cls:
                del self.positional[0]
            else:
                self.function += ".__func__"
        elif isinstance(inspect.getattr_static(cls, name, None), property):
            self.function += ".fget"
        elif isinstance(inspect.getattr_static(cls, name, None), functools.cached_property):
            self.function += ".func"


def method_name(qualified):
    """The attribute that a method is; a private one has its class in its name."""
    owners, _, name = qualified.rpartition(".")
    if name.startswith("__") and not name.endswith("__"):
        return "_%s%s" % (owners.rpartition(".")[2].lstrip("_"), name)
    return name


def case_of(function, positional, named, writer):
    """`{setup, body}` of a case that calls `function`, an expression, with these values. Raises `Unwritable`."""
    texts = writer.write(positional + list(named.values()))
    arguments = texts[: len(positional)]
    written = list(zip(named, texts[len(positional) :]))
    if all(name.isidentifier() and not keyword.iskeyword(name) for name in named):
        arguments += ["%s=%s" % pair for pair in written]
    else:
        arguments.append("**{%s}" % ", ".join("%r: %s" % pair for pair in written))
    call = "return call(%s)" % ", ".join([function] + arguments)
    setup = ["from pointsman_cases import call"] + sorted(writer.imports)
    return {"setup": setup, "body": writer.statements + [call]}


def case_digest(case):
    return hashlib.sha256(json.dumps([case["setup"], case["body"]]).encode()).hexdigest()[:16]


def shape_of(positional, named):
    """The types of the arguments, as they are written."""
    parts = [type_text(one) for one in positional]
    return ", ".join(parts + ["%s=%s" % (name, type_text(one)) for name, one in sorted(named.items())])


def _split(defaults, code, values):
    """`(positional, named)` as a call would be written; what is the default itself is left out."""
    positional, named, skipped = [], {}, False
    first = code.co_varnames[: code.co_argcount]
    only_named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    rest = (
        values[code.co_varnames[code.co_argcount + code.co_kwonlyargcount]]
        if code.co_flags & inspect.CO_VARARGS
        else ()
    )
    for at, name in enumerate(first):
        if not rest and name in defaults and values[name] is defaults[name]:
            skipped = True
        elif skipped and at >= code.co_posonlyargcount:
            named[name] = values[name]
        else:
            positional.append(values[name])
    positional += rest
    named.update(
        {name: values[name] for name in only_named if name not in defaults or values[name] is not defaults[name]}
    )
    if code.co_flags & inspect.CO_VARKEYWORDS:
        named.update(values[parameters(code)[-1]])
    return positional, named


@functools.lru_cache(maxsize=None)
def _defaults(code, module, name):
    """Defaults of the function that has this code, by name."""
    function = _named(code, module, name) or _referring(code)
    if function is None:
        return {}
    names = code.co_varnames[: code.co_argcount]
    found = dict(zip(names[len(names) - len(function.__defaults__ or ()) :], function.__defaults__ or ()))
    found.update(function.__kwdefaults__ or {})
    return found


def _named(code, module, name):
    """The function behind a name; None where something else, or another function, stands there."""
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, "__dict__", {}).get(part)
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    return found if type(found) is types.FunctionType and found.__code__ is code else None


def _referring(code):
    """The function that has this code, wherever it is kept: looks at every object that there is."""
    return next(
        (one for one in gc.get_referrers(code) if type(one) is types.FunctionType and one.__code__ is code), None
    )


def arguments_digest(positional, named):
    """A text that is equal for arguments that came back as they were. Functions and iterators count as such only."""
    tree = Observer(2_000, consume=False).observe([list(positional), dict(named)])
    return hashlib.sha256(json.dumps(_essence(tree), sort_keys=True).encode()).hexdigest()


def _essence(tree):
    if isinstance(tree, list):
        return [_essence(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    if tree.get("t") == "opaque" and tree["why"] == "an iterator":
        return "an iterator"
    if (
        tree.get("t") == "name"
        and tree["kind"] == "function"
        or tree.get("t") == "opaque"
        and tree["type"] == class_name(types.FunctionType)
    ):
        return "a function"
    return {key: _essence(one) for key, one in tree.items()}
