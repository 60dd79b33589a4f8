def inner():
    return target


def outer():
    return inner()


def target():
    pass


outer()()
