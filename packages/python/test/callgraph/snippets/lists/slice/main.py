def a():
    pass


def b():
    pass


def c():
    pass


three = [a, b, c]
for each in three[:2]:
    each()
