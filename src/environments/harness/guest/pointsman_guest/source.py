"""Python source that makes a value again: literals where there are any, else what the value was imported or built
from.
"""

import collections
import io
import keyword

from . import closures, iterators, names, stdlib_source, table_source
from .unwritable import Unwritable

_SIZE = 24_000
_DEPTH = 40
#: Types of values that are better written out, though a module may happen to keep the same one under a name.
_NAMELESS = frozenset(
    (
        "function",
        "type",
        "module",
        "range",
        "slice",
        "datetime.date",
        "datetime.datetime",
        "datetime.timedelta",
        "decimal.Decimal",
        "fractions.Fraction",
        "re.Pattern",
        "numpy.ndarray",
        "bytearray",
    )
)
_LITERALS = (type(None), bool, int, str, bytes, type(Ellipsis))


class Writer:
    """Writes the values of one call. `imports` and `statements` have to run before the expressions."""

    def __init__(self, importable, files):
        """`files(path)`: text or bytes of a file that a value names and that will not be there again, or None."""
        self._importable = importable
        self._files = files
        self._shared = set()
        self._begin()

    def write(self, values):
        """One expression for each value. What two of them share is made once and has a name."""
        self._begin()
        for value in values:
            self.expression(value)
        self._shared = {one for one, times in self._times.items() if times > 1}
        if self._shared:
            self._begin()
            return [self.expression(value) for value in values]
        self._begin()
        return [self.expression(value) for value in values]

    def _begin(self):
        self.imports = set()
        self.makes_files = False
        self.statements = []
        self._times = collections.Counter()
        self._names = {}
        self._within = []
        self._alive = []
        self._size = 0

    def expression(self, value):
        cls = type(value)
        if cls in _LITERALS:
            return self._sized(self._literal(value))
        if cls is float or cls is complex:
            return self._sized(number(value))
        if cls in (tuple, frozenset) and not value:
            return "()" if cls is tuple else "frozenset()"
        return self._once(value, lambda: self._compound(cls, value))

    def call(self, function, *arguments, **named):
        """The expression that calls something importable with these values."""
        return "%s(%s)" % (self.reference(function), self.arguments(arguments, named))

    def arguments(self, positional, named=()):
        parts = [self.expression(one) for one in positional]
        named = dict(named)
        if all(name.isidentifier() and not keyword.iskeyword(name) for name in named):
            parts += ["%s=%s" % (name, self.expression(one)) for name, one in named.items()]
        elif named:
            parts.append("**" + self.expression(named))
        return ", ".join(parts)

    def reference(self, thing):
        """The dotted name of something importable."""
        found = self._importable.name_of(thing)
        if found is None:
            raise Unwritable("%s cannot be imported without the tests" % _what(thing))
        return self.dotted(*found)

    def dotted(self, module, name):
        if module == "builtins":
            return name
        if self._importable.path_of(module) is None:
            self.imports.add("from pointsman_cases import named")
            return "named(%r, %r)" % (module, name)
        self.imports.add("import " + module)
        return module + "." + name

    def importable(self, thing):
        return self._importable.name_of(thing) is not None

    def reachable(self, module):
        return self._importable.module(module) and self._importable.path_of(module) is not None

    def statement(self, text, label):
        """Runs a statement before; `text` is made with a name that is free."""
        name = "%s_%d" % (label, len(self.statements) + 1)
        self.statements.append(self._sized(text(name)))
        return name

    def rebuilt(self, cls, state, content=None):
        """An instance by its attributes, made without `__init__`."""
        self.imports.add("from pointsman_cases import rebuild")
        parts = [self.reference(cls)]
        if state or content is not None:
            parts.append(self.expression(dict(state)))
        if content is not None:
            parts.append(self.expression(content))
        return "rebuild(%s)" % ", ".join(parts)

    def _once(self, value, write):
        at = id(value)
        if at in self._names:
            return self._names[at]
        if at in self._within:
            raise Unwritable("it refers to itself")
        self._times[at] += 1
        if len(self._within) > _DEPTH:
            raise Unwritable("it is too deep")
        # Kept, so that a value made on the way does not leave its id to another.
        self._alive.append(value)
        self._within.append(at)
        try:
            text = write()
        finally:
            self._within.pop()
        if at in self._shared and not isinstance(value, (type, tuple, frozenset)):
            text = self._names[at] = self.statement(lambda name: "%s = %s" % (name, text), "shared")
        return text

    def _sized(self, text):
        self._size += len(text)
        if self._size > _SIZE:
            raise Unwritable("it is too large")
        return text

    def _literal(self, value):
        if type(value) is int and value.bit_length() > 4_000:
            return hex(value)
        if type(value) is str:
            return self._text(value, None)
        return repr(value)

    def _text(self, text, wrap):
        content = self._files(text) if "/" in text else None
        if content is None:
            return repr(text) if wrap is None else "%s(%r)" % (wrap, text)
        self.makes_files = True
        maker = "text_file" if isinstance(content, str) else "binary_file"
        self.imports.add("from pointsman_cases import " + maker)
        made = "%s(%r, %r)" % (maker, text.rsplit("/", 1)[-1], content)
        return "str(%s)" % made if wrap is None else made

    def path(self, value):
        return self._text(str(value), self.reference(type(value)))

    def _compound(self, cls, value):
        if cls is list:
            return "[%s]" % self._joined(value)
        if cls is tuple:
            return "(%s,)" % self.expression(value[0]) if len(value) == 1 else "(%s)" % self._joined(value)
        if cls is set or cls is frozenset:
            members = "{%s}" % ", ".join(sorted(self.expression(one) for one in value)) if value else ""
            return members if cls is set and value else "%s(%s)" % (cls.__name__, members)
        if cls is dict:
            return "{%s}" % ", ".join("%s: %s" % (self.expression(k), self.expression(v)) for k, v in value.items())
        known = self._importable.global_name_of(value) if names.class_name(cls) not in _NAMELESS else None
        if known is not None:
            return self.dotted(*known)
        # Moments of pandas are also dates of the standard library, and more than those.
        for write in (table_source.write, stdlib_source.write, closures.write, iterators.write):
            text = write(self, value)
            if text is not None:
                return self._sized(text)
        return self._object(cls, value)

    def _joined(self, values):
        return ", ".join(self.expression(one) for one in values)

    def _object(self, cls, value):
        base = next(
            (one for one in (list, dict, set, tuple, frozenset, str, int, float, bytes) if names.inherits(cls, one)),
            None,
        )
        if base is tuple and hasattr(cls, "_fields"):
            return "%s(%s)" % (self.reference(cls), self._joined(value))
        if base is not None:
            return self.rebuilt(cls, names.attributes(value), _plain(base, value))
        if names.inherits(cls, io.IOBase.__base__):
            raise Unwritable("an open file")
        if names.inherits(cls, BaseException):
            return self._exception(cls, value)
        if names.maker(cls) is object and (names.has_state(value) or names.defines(cls, "__slots__")):
            return self.rebuilt(cls, names.attributes(value))
        return self._reduced(cls, value)

    def _exception(self, cls, value):
        state = names.attributes(value)
        arguments = BaseException.args.__get__(value)
        if not state and cls.__init__ in (BaseException.__init__, Exception.__init__):
            return self.call(cls, *arguments)
        return self.rebuilt(cls, state, arguments)

    def _reduced(self, cls, value):
        """As `pickle` would make it, where that is a call of something importable."""
        try:
            parts = value.__reduce_ex__(4)
        except Exception:
            raise Unwritable("a %s cannot be copied" % names.class_name(cls))
        if type(parts) is not tuple or any(part is not None and part != {} for part in parts[2:]):
            raise Unwritable("a %s cannot be written" % names.class_name(cls))
        if names.function_name(parts[0]) == "copyreg.__newobj__":
            return "%s.__new__(%s)" % (
                self.reference(cls),
                ", ".join([self.reference(cls)] + [self.expression(one) for one in parts[1][1:]]),
            )
        return self.call(parts[0], *parts[1])


def number(value):
    """A float or complex number as an expression; `repr` has none for what is not finite."""
    if type(value) is complex:
        if value.real - value.real == 0 and value.imag - value.imag == 0:
            return "complex(%r, %r)" % (value.real, value.imag)
        return "complex(%s, %s)" % (number(value.real), number(value.imag))
    return repr(value) if value - value == 0 else "float(%r)" % repr(value)


def _plain(base, value):
    if base is dict:
        return dict(dict.items(value))
    if base in (list, set, tuple, frozenset):
        return base(base.__iter__(value))
    return {str: str.__str__, int: int.__int__, float: float.__float__}.get(
        base, lambda one: bytes.__getitem__(one, slice(None))
    )(value)


def _what(thing):
    return names.class_name(thing) if isinstance(thing, type) else "a " + names.class_name(type(thing))
