import importlib

plugin = importlib.import_module("plugin")
plugin.load()
