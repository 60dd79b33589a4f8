"""Stands in for what packages import and the part of them that is run does not need: PyTorch, Ray, servers."""

import importlib.abc
import importlib.machinery
import sys
from unittest.mock import MagicMock


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, is_absent):
        self.is_absent = is_absent

    def find_spec(self, name, path=None, target=None):
        if not self.is_absent(name.split(".")[0]):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__ = []
        module.__spec__ = spec
        return module

    def exec_module(self, module):
        pass


def stand_in(is_absent):
    """From now on, for top-level packages of which `is_absent` says so and that are not there."""
    sys.meta_path.append(Absent(is_absent))
