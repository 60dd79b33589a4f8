def signal():
    pass


def outer(action):
    inner(action)


def inner(action):
    action()


outer(signal)
