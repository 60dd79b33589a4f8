"""Arguments for one function, drawn by hypothesis. Imported only where hypothesis can be."""

import inspect
import typing

import hypothesis
from hypothesis import strategies as st

from .docstrings import documented_types, type_of_words
from .strategies import NoStrategy, Strategies


class Refused(Exception):
    """There are no values for an argument: `args` are its name and the reason."""


class _Default:
    """Stands for an argument that is left to its default."""


class Inputs:
    """`seen`: words for the types that arguments were seen to have, by name. Raises `Refused`."""

    def __init__(self, function, code, instance_of, seen):
        """`instance_of`: the class whose instance is the first argument, or None."""
        signature = inspect.signature(function)
        self._parameters = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        self._hints = _hints_of(function)
        self._words = documented_types(inspect.getdoc(function))
        self._seen = seen
        self._strategies = Strategies(code)
        self._parts = {}
        for at, parameter in enumerate(self._parameters):
            try:
                first = instance_of if at == 0 else None
                self._parts[parameter.name] = self._strategy(parameter, first)
            except NoStrategy as why:
                if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL:
                    raise Refused(parameter.name, str(why))
        self._parameters = [one for one in self._parameters if one.name in self._parts]

    def draw(self, seed, examples, use):
        """Calls `use(positional, named)` for each set of arguments; the same seed gives the same ones."""
        settings = hypothesis.settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=(hypothesis.Phase.generate,),
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        test = hypothesis.given(st.fixed_dictionaries(self._parts))(lambda drawn: use(*self._arguments(drawn)))
        hypothesis.seed(seed)(settings(test))()

    def _strategy(self, parameter, instance_of):
        """From the most telling to the least: annotation, docstring, seen types, default, name."""
        wanted = instance_of or self._type_of(parameter.name)
        strategy = None
        if wanted is not None:
            strategy = self._strategies.of_type(wanted)
        if parameter.kind is parameter.VAR_POSITIONAL:
            each = strategy or self._strategies.of_name(parameter.name) or st.integers(-3, 12)
            return st.lists(each, max_size=3).map(tuple)
        if parameter.default is not parameter.empty:
            other = strategy or self._strategies.of_value(parameter.default)
            return st.one_of(st.just(_Default), st.just(_Default), other)
        return strategy or self._strategies.of_name(parameter.name) or self._strategies.anything()

    def _type_of(self, name):
        if name in self._hints:
            return self._hints[name]
        documented = type_of_words(self._words[name]) if name in self._words else None
        if documented is not None:
            return documented
        seen = [type_of_words(words) for words in sorted(self._seen.get(name, ()))]
        known = tuple(one for one in seen if one is not None)
        return typing.Union[known] if known else None

    def _arguments(self, drawn):
        """`(positional, named)`; what comes behind an argument that is left out goes by name."""
        positional, named, by_name = [], {}, False
        rest = next((drawn[one.name] for one in self._parameters if one.kind is one.VAR_POSITIONAL), ())
        for one in self._parameters:
            value = drawn[one.name]
            if one.kind is one.VAR_POSITIONAL:
                positional += rest
            elif value is _Default and not (rest and one.kind is not one.KEYWORD_ONLY):
                by_name = True
            else:
                value = one.default if value is _Default else value
                if one.kind is one.KEYWORD_ONLY or by_name and one.kind is not one.POSITIONAL_ONLY:
                    named[one.name] = value
                else:
                    positional.append(value)
        return positional, named


def _hints_of(function):
    try:
        return typing.get_type_hints(inspect.unwrap(function))
    except Exception:
        # An annotation that cannot be evaluated: the docstring and the names are asked.
        return {}
