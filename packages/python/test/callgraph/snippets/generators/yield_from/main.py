def inner():
    yield tail


def outer():
    yield from inner()


def tail():
    pass


for each in outer():
    each()
