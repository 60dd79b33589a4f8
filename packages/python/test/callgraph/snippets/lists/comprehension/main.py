def a():
    pass


def b():
    pass


[each() for each in [a, b]]
