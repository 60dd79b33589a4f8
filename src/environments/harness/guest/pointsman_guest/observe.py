"""A Python value as data that can leave the process: the `ValueTree` of the contract.

Nothing that a value says of itself is believed: types are read with `type`, attributes from the slots of the type,
and the contents of a list subclass with the methods of `list`. So a value that lies about its class, or raises when
it is looked at, is seen as what it is. No memory address and no name of a temporary directory leaves.
"""

import hashlib
import json

from . import containers, leaves, names, spelling, tables

DEPTH = 80
NODES = 200_000
#: Modules of things that are handles on the process, not values.
HANDLES = frozenset(
    (
        "_thread",
        "threading",
        "_weakref",
        "weakref",
        "_socket",
        "socket",
        "unittest.mock",
        "select",
        "_asyncio",
        "asyncio",
    )
)


class Observer:
    """Turns values into trees. One observer for what is looked at together: a value met again is a `ref`."""

    def __init__(self, keep=10_000, consume=True, replace=()):
        """`keep`: elements, characters or bytes of one value. `consume`: whether iterators are run. `replace`: pairs of
        texts, such as the name of the temporary directory and what stands for it."""
        self.keep = keep
        self.consume = consume
        self.replace = tuple(replace)
        self._met = {}
        self._referred = 0
        self._depth = 0
        self._nodes = 0

    def observe(self, value):
        """The tree of a value. What a value raises while it is looked at is part of the tree."""
        self._nodes += 1
        cls = type(value)
        leaf = leaves.PLAIN.get(id(cls))
        if leaf is not None:
            return leaf(self, value)
        if self._depth >= DEPTH or self._nodes > NODES:
            return opaque(cls, "too deep" if self._depth >= DEPTH else "too much")
        self._depth += 1
        try:
            return self._compound(cls, value)
        except (Exception, SystemExit, GeneratorExit) as error:
            return opaque(cls, "cannot be looked at: " + names.class_name(type(error)))
        finally:
            self._depth -= 1

    def once(self, value, look):
        """The tree that `look` makes, or a `ref` where the value was met before; what is referred to gets an `id`."""
        met = self._met.get(id(value))
        if met is not None:
            if met.id is None:
                met.id = self._referred
                self._referred += 1
                if met.tree is not None:
                    met.tree["id"] = met.id
            return {"t": "ref", "v": met.id}
        met = self._met[id(value)] = _Met(value)
        met.tree = look()
        if met.id is not None:
            met.tree["id"] = met.id
        return met.tree

    def text(self, text):
        """A text without what differs from process to process."""
        for old, new in self.replace:
            if old in text:
                text = text.replace(old, new)
        return names.without_addresses(text)

    def key(self, value):
        """A text that is equal for equal values: what sets are sorted by, and what stands for elements that are cut."""
        return json.dumps(Observer(self.keep, False, self.replace).observe(value), sort_keys=True)

    def cut(self, elements, of):
        """What is said of a container that is kept in part: `of` elements, of which those given are hashed."""
        digest = hashlib.sha256()
        for one in elements:
            digest.update(self.key(one).encode())
        return {"of": of, "sha256": digest.hexdigest()}

    def state(self, value):
        return [[name, self.observe(one)] for name, one in names.attributes(value)]

    def parts(self, value, pairs, kind=None):
        """An object by named parts of our choosing."""
        kind = kind or names.class_name(type(value))
        return self.once(
            value, lambda: {"t": "object", "type": kind, "state": [[name, self.observe(one)] for name, one in pairs]}
        )

    def _compound(self, cls, value):
        exact = containers.EXACT.get(id(cls)) or leaves.EXACT.get(id(cls))
        if exact is not None:
            return exact(self, value)
        if names.class_name(cls) == "pointsman_cases.Outcome":
            return value.__pointsman_observe__(self)
        if tables.may_be_table(cls):
            found = tables.table(value, self)
            if found is not None:
                return found
        spelled = spelling.spelled(value)
        if spelled is not None:
            return {"t": "scalar", "type": spelled[0], "v": self.text(spelled[1])}
        if names.inherits(cls, type):
            return {"t": "name", "kind": "class", "v": names.class_name(value)}
        for base, look in leaves.BASES + containers.BASES:
            if names.inherits(cls, base):
                return look(self, value)
        if names.defines(cls, "__next__"):
            return containers.iterator(self, value)
        return self.once(value, lambda: self._object(cls, value))

    def _object(self, cls, value):
        kind = names.class_name(cls)
        if kind.rpartition(".")[0] in HANDLES:
            return opaque(cls, "a handle")
        if names.has_state(value):
            return {"t": "object", "type": kind, "state": self.state(value)}
        return self._pickled(cls, value)

    def _pickled(self, cls, value):
        """An object of a type written in C, as `pickle` would keep it."""
        try:
            parts = cls.__reduce_ex__(value, 4)
        except Exception:
            return opaque(cls, "nothing of it can be seen")
        if type(parts) is not tuple:
            return {"t": "name", "kind": "builtin", "v": names.class_name(cls) + " " + self.text(str(parts))}
        made_from = parts[1][1:] if names.function_name(parts[0]) == "copyreg.__newobj__" else parts[1]
        labelled = zip(("<made from>", "<state>", "<elements>", "<items>"), (made_from,) + parts[2:5])
        state = [[label, self.observe(part)] for label, part in labelled if part is not None]
        if not made_from and len(state) == 1:
            return opaque(cls, "nothing of it can be seen")
        return {"t": "object", "type": names.class_name(cls), "state": state}


class _Met:
    """A value that was met; it is kept so that no other comes to have its id."""

    __slots__ = ("value", "tree", "id")

    def __init__(self, value):
        self.value = value
        self.tree = None
        self.id = None


def opaque(cls, why):
    return {"t": "opaque", "type": names.class_name(cls), "why": why}
