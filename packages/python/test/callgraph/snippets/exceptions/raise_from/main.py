class Outer(Exception):
    def __init__(self):
        pass


def cause():
    return ValueError()


try:
    raise Outer from cause()
except Outer:
    pass
