def a():
    pass


def b():
    pass


def c():
    pass


three = [a, b, c]
three[::-1][0]()
