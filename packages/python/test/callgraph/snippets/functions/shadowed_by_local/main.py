def name():
    pass


def caller():
    name = other
    name()


def other():
    pass


caller()
