def inner():
    return 1


def outer(value):
    pass


outer(inner())
