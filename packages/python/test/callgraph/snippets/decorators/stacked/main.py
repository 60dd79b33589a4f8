def outer(f):
    def from_outer():
        f()

    return from_outer


def inner(f):
    def from_inner():
        f()

    return from_inner


@outer
@inner
def core():
    pass


core()
