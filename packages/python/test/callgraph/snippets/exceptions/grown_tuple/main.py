class Broken(Exception):
    def __init__(self, reason):
        super().__init__(reason)


def attempt(action, kinds=(ValueError,)):
    kinds = kinds + (Broken,)
    for _ in range(2):
        kinds += kinds
    try:
        action()
    except kinds as caught:
        return caught


def fail():
    raise Broken("always")


attempt(fail)
