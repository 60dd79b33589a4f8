def pair():
    return left, right


def left():
    pass


def right():
    pass


one, other = pair()
other()
