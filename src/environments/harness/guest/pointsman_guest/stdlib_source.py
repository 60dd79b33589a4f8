"""Source for values of the standard library, functions and classes among them."""

import collections
import datetime
import decimal
import enum
import fractions
import functools
import io
import pathlib
import re
import types
import uuid

from . import names
from .unwritable import Unwritable

_BUILTIN_METHODS = (types.BuiltinMethodType, types.MethodWrapperType)


def write(writer, value):
    """The expression, or None where the value is nothing that is known here."""
    look = _EXACT.get(type(value))
    if look is not None:
        return look(writer, value)
    if names.inherits(type(value), datetime.datetime):
        return _date_time(writer, value)
    if names.inherits(type(value), datetime.date):
        return writer.call(type(value), value.year, value.month, value.day)
    if names.inherits(type(value), enum.Enum):
        return _member(writer, value)
    if names.inherits(type(value), pathlib.PurePath) and writer.importable(type(value)):
        return writer.path(value)
    if names.class_name(type(value)) == "zoneinfo.ZoneInfo" and value.key is not None:
        # Not in every Python that this runs in, so that it is known by its name alone.
        return writer.call(type(value), value.key)
    if isinstance(value, type) or type(value) in (types.MethodDescriptorType, types.WrapperDescriptorType):
        return writer.reference(value)
    return None


def _member(writer, value):
    cls = writer.reference(type(value))
    name = value._name_
    return "%s.%s" % (cls, name) if isinstance(name, str) and name.isidentifier() else "%s(%r)" % (cls, value._value_)


def _date_time(writer, value):
    parts = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
    while len(parts) > 3 and parts[-1] == 0:
        parts.pop()
    return writer.call(type(value), *parts, **_zone(value))


def _time(writer, value):
    return writer.call(datetime.time, value.hour, value.minute, value.second, value.microsecond, **_zone(value))


def _zone(value):
    named = {}
    if value.tzinfo is not None:
        named["tzinfo"] = value.tzinfo
    if value.fold:
        named["fold"] = value.fold
    return named


def _spelled(writer, value):
    """Types whose `repr` is an expression in terms of their module."""
    writer.imports.add("import " + type(value).__module__)
    return repr(value)


def _zone_info(writer, value):
    writer.imports.add("import datetime")
    return "datetime.timezone.utc" if value is datetime.timezone.utc else repr(value)


def _pattern(writer, value):
    default = re.UNICODE if isinstance(value.pattern, str) else 0
    flags = int(value.flags) & ~int(default)
    return writer.call(re.compile, value.pattern, *([flags] if flags else []))


def _stream(writer, value):
    if value.closed:
        made = writer.call(type(value))
        return writer.statement(lambda name: "%s = %s; %s.close()" % (name, made, name), "stream")
    made = writer.call(type(value), value.getvalue())
    if value.tell() == 0:
        return made
    return writer.statement(lambda name: "%s = %s; %s.seek(%d)" % (name, made, name, value.tell()), "stream")


def _builtin(writer, value):
    owner = value.__self__
    if owner is None or isinstance(owner, types.ModuleType) or writer.importable(value):
        return writer.reference(value)
    return "%s.%s" % (_operand(writer, owner), value.__name__)


def _method(writer, value):
    return "%s.%s" % (_operand(writer, value.__self__), value.__func__.__name__)


def _operand(writer, value):
    text = writer.expression(value)
    return "(%s)" % text if text[:1].isdigit() or text[:1] == "-" else text


def _view(method):
    def look(writer, value):
        if not hasattr(value, "mapping"):
            raise Unwritable("a view of a dictionary")
        return "%s.%s()" % (writer.expression(dict(value.mapping)), method)

    return look


def _module(writer, value):
    if not writer.reachable(value.__name__):
        raise Unwritable("the module %s cannot be imported without the tests" % value.__name__)
    writer.imports.add("import " + value.__name__)
    return value.__name__


_EXACT = {
    datetime.datetime: _date_time,
    datetime.date: _spelled,
    datetime.time: _time,
    datetime.timedelta: _spelled,
    datetime.timezone: _zone_info,
    decimal.Decimal: lambda w, v: w.call(decimal.Decimal, str(v)),
    fractions.Fraction: lambda w, v: w.call(fractions.Fraction, v.numerator, v.denominator),
    uuid.UUID: lambda w, v: w.call(uuid.UUID, str(v)),
    type(re.compile("")): _pattern,
    range: lambda w, v: repr(v),
    slice: lambda w, v: w.call(slice, v.start, v.stop, v.step),
    bytearray: lambda w, v: w.call(bytearray, bytes(v)),
    memoryview: lambda w, v: w.call(memoryview, v.tobytes()),
    collections.deque: lambda w, v: w.call(collections.deque, list(v), *([] if v.maxlen is None else [v.maxlen])),
    collections.OrderedDict: lambda w, v: w.call(collections.OrderedDict, list(v.items())),
    collections.Counter: lambda w, v: w.call(collections.Counter, dict(v)),
    collections.defaultdict: lambda w, v: w.call(collections.defaultdict, v.default_factory, dict(v)),
    functools.partial: lambda w, v: w.call(functools.partial, v.func, *v.args, **v.keywords),
    types.MappingProxyType: lambda w, v: w.call(types.MappingProxyType, dict(v)),
    type(NotImplemented): lambda w, v: "NotImplemented",
    object: lambda w, v: "object()",
    types.BuiltinMethodType: _builtin,
    types.MethodWrapperType: _builtin,
    types.MethodType: _method,
    types.ModuleType: _module,
    type({}.keys()): _view("keys"),
    type({}.values()): _view("values"),
    type({}.items()): _view("items"),
    io.StringIO: _stream,
    io.BytesIO: _stream,
}
