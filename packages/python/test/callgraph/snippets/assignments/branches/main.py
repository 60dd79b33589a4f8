import sys


def small():
    pass


def large():
    pass


if len(sys.argv) > 100:
    size = large
else:
    size = small
size()
