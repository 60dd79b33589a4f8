"""How values are looked at that hold no others, or few: numbers, texts, functions, exceptions, streams."""

import base64
import functools
import hashlib
import io
import re
import types

from . import names

_INT_BITS = 12_000


def _none(_observer, _value):
    return {"t": "none"}


def _bool(_observer, value):
    return {"t": "bool", "v": value}


def _int(_observer, value):
    if value.bit_length() <= _INT_BITS:
        return {"t": "int", "v": str(value)}
    digest = _sha256(value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))
    return {"t": "scalar", "type": "int", "v": "%d bits, sha256 %s" % (value.bit_length(), digest)}


def _float(_observer, value):
    return {"t": "float", "v": _float_text(value)}


def _float_text(value):
    return value.hex() if value - value == 0 else repr(value)


def _complex(_observer, value):
    return {"t": "complex", "re": _float_text(value.real), "im": _float_text(value.imag)}


def _str(observer, value):
    text = observer.text(value)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        # A lone surrogate has no place in JSON that is written as UTF-8.
        return {"t": "scalar", "type": "str", "v": ascii(text)}
    tree = {"t": "str", "v": text[: observer.keep]}
    if len(text) > observer.keep:
        tree["cut"] = {"of": len(text), "sha256": _sha256(data)}
    return tree


def _bytes(observer, value):
    for old, new in observer.replace:
        value = value.replace(old.encode(), new.encode())
    tree = {"t": "bytes", "v": base64.b64encode(value[: observer.keep]).decode("ascii")}
    if len(value) > observer.keep:
        tree["cut"] = {"of": len(value), "sha256": _sha256(value)}
    return tree


def _sha256(data):
    return hashlib.sha256(data).hexdigest()


def _function(_observer, value):
    name = names.function_name(value)
    if "<locals>" in name or "<lambda>" in name:
        # What a function made on the way is called is nobody's business.
        return {"t": "opaque", "type": names.class_name(type(value)), "why": "a function without a name of its own"}
    return {"t": "name", "kind": "function", "v": name}


def _method(observer, value):
    return observer.parts(value, [("function", value.__func__), ("self", value.__self__)], "method")


def _builtin(observer, value):
    owner = getattr(value, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        return {"t": "name", "kind": "builtin", "v": names.function_name(value)}
    return observer.parts(value, [("function", value.__name__), ("self", owner)], "method")


def _partial(observer, value):
    return observer.parts(value, [("func", value.func), ("args", value.args), ("keywords", value.keywords)])


def _module(_observer, value):
    return {"t": "name", "kind": "module", "v": types.ModuleType.__getattribute__(value, "__name__")}


def _singleton(_observer, value):
    return {"t": "name", "kind": "builtin", "v": repr(value)}


def _exception(observer, value):
    arguments = BaseException.args.__get__(value)
    return observer.once(
        value,
        lambda: {
            "t": "exception",
            "type": names.class_name(type(value)),
            "v": [observer.observe(one) for one in arguments],
        },
    )


def _stream(observer, value):
    if type(value) in (io.StringIO, io.BytesIO):
        parts = [("closed", True)] if value.closed else [("value", value.getvalue()), ("position", value.tell())]
    else:
        name = getattr(value, "name", None)
        parts = [
            ("name", name if type(name) is str else None),
            ("mode", getattr(value, "mode", None)),
            ("closed", value.closed),
        ]
    return observer.parts(value, parts)


def _match(observer, value):
    return observer.parts(value, [("pattern", value.re), ("span", value.span()), ("groups", value.groups())])


def _content(plain):
    """An instance of a class derived from a plain type: the plain value, read with that type's own method, and
    attributes.
    """
    return lambda observer, value: observer.parts(value, [("<content>", plain(value))] + names.attributes(value))


#: Looked up for every value: what needs neither depth nor a note that it was met. By identity of the type.
PLAIN = {
    id(cls): look
    for cls, look in (
        (type(None), _none),
        (bool, _bool),
        (int, _int),
        (float, _float),
        (complex, _complex),
        (str, _str),
        (bytes, _bytes),
    )
}

EXACT = {
    id(cls): look
    for cls, look in (
        (types.FunctionType, _function),
        (types.MethodType, _method),
        (types.ModuleType, _module),
        (types.BuiltinFunctionType, _builtin),
        (types.MethodDescriptorType, _builtin),
        (types.WrapperDescriptorType, _builtin),
        (types.MethodWrapperType, _builtin),
        (types.ClassMethodDescriptorType, _builtin),
        (functools.partial, _partial),
        (type(re.match("", "")), _match),
        (type(Ellipsis), _singleton),
        (type(NotImplemented), _singleton),
        (bytearray, _content(bytes)),
        (memoryview, _content(memoryview.tobytes)),
    )
}

#: Classes that others derive from.
BASES = (
    (BaseException, _exception),
    # What the classes of `io` really derive from is behind the public name.
    (io.IOBase.__base__, _stream),
    (types.ModuleType, _module),
    (str, _content(str.__str__)),
    (int, _content(int.__int__)),
    (float, _content(float.__float__)),
    (bytes, _content(lambda value: bytes.__getitem__(value, slice(None)))),
)
