"""What the cases of a harness may import.

A harness is a Python module with functions `def case_NAME(subject)`. The subject is the function under test, or the
class of a method under test. A case makes inputs, uses the subject, and returns what there is to compare: any value
of plain Python, of the standard library, numpy or pandas, or an object, which is compared by its attributes.
Iterators are run and compared by what they give. Each case runs in a process of its own, in an empty temporary
directory that is also HOME and TMPDIR; files that it leaves in the current directory are compared too. Random numbers
are seeded before each case.

    from pointsman_cases import call

    def case_empty(subject):
        return call(subject, [])

    def case_method(subject):
        counter = subject(start=3)
        return call(counter.add, 4), counter.total

`call(function, *args, **kwargs)` calls it and keeps what came of it: what was returned or which type of exception was
raised (not its message), what was printed, and which arguments the call changed. A coroutine is run to its end. Use
it where errors or changed arguments matter; elsewhere `return subject(...)` says the same. For a method, the object
that it is bound to counts as an argument.

`rebuild(cls, attributes)` makes an instance of a class with these attributes without running `__init__`; `content`
are the elements where the class derives from a list, dict, set, tuple, str or number, and the arguments of an
exception. `named(module, name)` is what a module holds under a (dotted) name. Both are for objects that were
recorded.

`text_file(name, text)` and `binary_file(name, data)` write a file in the current directory and return its path.
"""

import contextlib
import importlib
import inspect
import io
import pathlib
import types

from pointsman_guest.names import class_name, maker
from pointsman_guest.observe import Observer

__all__ = ["call", "rebuild", "named", "text_file", "binary_file"]


class Outcome:
    """What came of a call: see `call`."""

    def __init__(self, arguments):
        self._arguments = arguments
        self._before = [_still(one) for _, one in arguments]
        self.returned = None
        self.raised = None
        self.printed = ""

    def __pointsman_observe__(self, observer):
        # What was returned comes first: an iterator must run before the arguments that it may still change are looked
        # at.
        if self.raised is None:
            state = [["returned", observer.observe(self.returned)]]
        else:
            state = [["raised", {"t": "exception", "type": class_name(type(self.raised)), "v": []}]]
        for (name, value), before in zip(self._arguments, self._before):
            if _still(value) != before:
                state.append(["changed " + name, observer.observe(value)])
        if self.printed:
            state.append(["printed", observer.observe(self.printed)])
        return {"t": "object", "type": "call", "state": state}


def call(function, *args, **kwargs):
    """Calls a function and keeps what was returned or raised, what was printed, and the arguments that were changed."""
    arguments = [(str(at), one) for at, one in enumerate(args)] + list(kwargs.items())
    if isinstance(function, (types.MethodType, types.BuiltinMethodType)) and not isinstance(
        function.__self__, types.ModuleType
    ):
        arguments.insert(0, ("self", function.__self__))
    outcome = Outcome(arguments)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            returned = function(*args, **kwargs)
            outcome.returned = _run(returned) if inspect.iscoroutine(returned) else returned
    except (Exception, SystemExit, GeneratorExit) as error:
        outcome.raised = error
    outcome.printed = printed.getvalue()
    return outcome


def _run(coroutine):
    # Here, because importing it takes a third of what a run of a harness takes to begin.
    import asyncio

    return asyncio.run(coroutine)


def rebuild(cls, attributes=None, content=None):
    """An instance of `cls` with these attributes, made without `__init__`; `content` for classes derived from a
    builtin.
    """
    content = () if content is None and issubclass(cls, BaseException) else content
    plain = next((one for one in (tuple, frozenset, str, bytes, int, float, complex) if issubclass(cls, one)), None)
    instance = maker(cls).__new__(cls) if plain is None or content is None else plain.__new__(cls, content)
    if issubclass(cls, BaseException):
        instance.args = content
    elif plain is None and content is not None:
        next(one for one in (list, dict, set, bytearray) if issubclass(cls, one)).__init__(instance, content)
    for name, value in (attributes or {}).items():
        object.__setattr__(instance, name, value)
    return instance


def named(module, name):
    """What `module` holds under `name`, which may be dotted; also where a package hides the module behind another
    name.
    """
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def text_file(name, text):
    """Writes a text file into the current directory and returns its path."""
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def binary_file(name, data):
    """Writes a file into the current directory and returns its path."""
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def _still(value):
    """A value as it is now, without running iterators: that would take from them what the call is to get."""
    return Observer(2_000, consume=False).observe(value)
