import os

folder = os.path
folder.dirname("a/b")
