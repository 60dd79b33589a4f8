def pass_through(value):
    return value


def a():
    pass


def b():
    pass


pass_through(a)()
kept = pass_through(b)
