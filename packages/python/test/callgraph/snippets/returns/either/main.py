import sys


def pick():
    if len(sys.argv) > 100:
        return many
    return few


def many():
    pass


def few():
    pass


pick()()
