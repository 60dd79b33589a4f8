def apply(action):
    action()


def shout():
    pass


list(map(apply, [shout]))
