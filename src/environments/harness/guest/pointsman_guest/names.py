"""Looks at values without asking them: a value may lie about its class, its attributes or its names, or raise when
asked.
"""

import functools
import re
import types

_mro = type.__dict__["__mro__"].__get__
_module = type.__dict__["__module__"].__get__
_qualname = type.__dict__["__qualname__"].__get__
_namespace = type.__dict__["__dict__"].__get__

_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,16}\b")


def mro(cls):
    """Classes in method resolution order, whatever the metaclass says."""
    return _mro(cls)


def namespace(cls):
    """What the class itself defines."""
    return _namespace(cls)


def inherits(cls, base):
    """`issubclass` that no metaclass has a say in."""
    return any(one is base for one in mro(cls))


def defines(cls, name):
    """Whether the class or one that it derives from defines an attribute."""
    return any(name in namespace(one) for one in mro(cls))


def maker(cls):
    """The class with the first `__new__` that is not written in Python: one that is may ask for arguments, or do
    things.
    """
    return next(one for one in mro(cls) if type(namespace(one).get("__new__")) is types.BuiltinFunctionType)


def class_name(cls):
    """`module.Qualified.Name`; builtins stand without their module."""
    try:
        module, name = _module(cls), _qualname(cls)
    except Exception:
        return "?"
    if type(name) is not str:
        return "?"
    return name if type(module) is not str or module == "builtins" else module + "." + name


def function_name(function):
    """`module.Qualified.Name` of a function or builtin, as far as it has one."""
    name = _attribute(function, "__qualname__") or _attribute(function, "__name__") or "?"
    module = _attribute(function, "__module__")
    return name if module is None or module == "builtins" else module + "." + name


def _attribute(value, name):
    try:
        found = object.__getattribute__(value, name)
    except Exception:
        return None
    return found if type(found) is str else None


def instance_dict(value):
    """The dictionary behind the attributes, or None. A class can hide it behind a property: the slot of the type is
    asked.
    """
    for cls in mro(type(value)):
        slot = namespace(cls).get("__dict__")
        if type(slot) is types.GetSetDescriptorType:
            try:
                found = slot.__get__(value)
            except Exception:
                return None
            return found if type(found) is dict else None
    return None


def slots(value):
    """`(name, value)` of each slot that is filled, base classes first."""
    found = []
    for cls in reversed(mro(type(value))):
        own = namespace(cls)
        if "__slots__" not in own:
            continue
        for name, member in own.items():
            if type(member) is types.MemberDescriptorType and name != "__weakref__":
                try:
                    found.append((name, member.__get__(value)))
                except Exception:
                    continue
    return found


def attributes(value):
    """State by attribute, sorted by name. Results that `functools.cached_property` keeps are no state."""
    found = dict(slots(value))
    for name, one in (instance_dict(value) or {}).items():
        if type(name) is str and not _is_cache(type(value), name):
            found[name] = one
    return sorted(found.items(), key=lambda pair: pair[0])


def has_state(value):
    """Whether there is anywhere that attributes of the instance could stand, though it may be empty."""
    if instance_dict(value) is not None:
        return True
    return any(
        any(type(member) is types.MemberDescriptorType for member in namespace(cls).values())
        for cls in mro(type(value))
        if "__slots__" in namespace(cls)
    )


def _is_cache(cls, name):
    for one in mro(cls):
        if name in namespace(one):
            return type(namespace(one)[name]) is functools.cached_property
    return False


def without_addresses(text):
    """Text in which no memory address stands: they differ from process to process."""
    return _ADDRESS.sub("at 0x...", text) if "at 0x" in text else text
