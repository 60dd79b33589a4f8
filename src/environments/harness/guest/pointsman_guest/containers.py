"""How containers and iterators are looked at: by the methods of the builtin type, whatever a subclass makes of them."""

import collections
import itertools
import types

from . import names

ITERATOR = 1_000
#: Elements beyond those kept are hashed up to here.
HASHED = 200_000


def _sequence(t, base):
    def look(observer, value, kind=None):
        def tree():
            length = base.__len__(value)
            kept = itertools.islice(base.__iter__(value), observer.keep)
            return _tree(
                t,
                kind,
                [observer.observe(one) for one in kept],
                length > observer.keep and observer.cut(itertools.islice(base.__iter__(value), HASHED), length),
            )

        # Equal tuples are often one object by the compiler's choice: that they are says nothing.
        return tree() if t == "tuple" else observer.once(value, tree)

    return look


def _set(t, base):
    def look(observer, value, kind=None):
        def tree():
            members = list(base.__iter__(value))
            if len(members) <= HASHED:
                members.sort(key=observer.key)
            return _tree(
                t,
                kind,
                [observer.observe(one) for one in members[: observer.keep]],
                len(members) > observer.keep and observer.cut(members[:HASHED], len(members)),
            )

        return tree() if t == "frozenset" else observer.once(value, tree)

    return look


def _dict(base):
    def look(observer, value, kind=None):
        def tree():
            pairs = base.items(value)
            kept = [[observer.observe(k), observer.observe(v)] for k, v in itertools.islice(pairs, observer.keep)]
            made = _tree("dict", kind, kept, False)
            if base is collections.OrderedDict:
                made["ordered"] = True
            if len(pairs) > observer.keep:
                beyond = list(itertools.islice(pairs, HASHED))
                made["cut"] = observer.cut(
                    beyond if "ordered" in made else sorted(beyond, key=observer.key), len(pairs)
                )
            return made

        return observer.once(value, tree)

    return look


def _tree(t, kind, elements, cut):
    tree = {"t": t}
    if kind is not None:
        tree["type"] = kind
    tree["v"] = elements
    if cut:
        tree["cut"] = cut
    return tree


def _subclass(look, plain):
    """A subclass is its elements, and an object only where it carries attributes too."""

    def looked(observer, value):
        kind = names.class_name(type(value))
        attributes = names.attributes(value)
        if not attributes:
            return look(observer, value, kind)
        return observer.parts(value, [("<content>", plain(value))] + attributes)

    return looked


def iterator(observer, value):
    """What an iterator gives, and what it raised midway. Its type is not kept: a generator may become a list
    iterator.
    """
    if not observer.consume:
        return {"t": "opaque", "type": names.class_name(type(value)), "why": "an iterator"}

    def tree():
        made = {"t": "iterator", "v": []}
        try:
            for one in itertools.islice(value, ITERATOR):
                made["v"].append(observer.observe(one))
            if len(made["v"]) == ITERATOR:
                made["cut"] = {"of": ITERATOR, "sha256": ""}
        except Exception as error:
            made["raised"] = observer.observe(error)
        return made

    return observer.once(value, tree)


def _view(observer, value):
    return _list(observer, list(value), names.class_name(type(value)))


def _proxy(observer, value):
    return _mapping(observer, dict(value), "mappingproxy")


_list = _sequence("list", list)
_tuple = _sequence("tuple", tuple)
_deque = _sequence("deque", collections.deque)
_mutable_set = _set("set", set)
_frozen_set = _set("frozenset", frozenset)
_mapping = _dict(dict)
_ordered = _dict(collections.OrderedDict)

#: By identity of the type: a metaclass may have ideas of its own about equality.
EXACT = {
    id(cls): look
    for cls, look in (
        (list, _list),
        (tuple, _tuple),
        (set, _mutable_set),
        (frozenset, _frozen_set),
        (dict, _mapping),
        (type({}.keys()), _view),
        (type({}.values()), _view),
        (type({}.items()), _view),
        (types.MappingProxyType, _proxy),
    )
}

#: Classes that others derive from, special ones first.
BASES = (
    (list, _subclass(_list, lambda v: list(list.__iter__(v)))),
    (tuple, _subclass(_tuple, lambda v: tuple(tuple.__iter__(v)))),
    (collections.OrderedDict, _subclass(_ordered, lambda v: collections.OrderedDict(collections.OrderedDict.items(v)))),
    (dict, _subclass(_mapping, lambda v: dict(dict.items(v)))),
    (set, _subclass(_mutable_set, lambda v: set(set.__iter__(v)))),
    (frozenset, _subclass(_frozen_set, lambda v: frozenset(frozenset.__iter__(v)))),
    (collections.deque, _subclass(_deque, lambda v: list(collections.deque.__iter__(v)))),
)
