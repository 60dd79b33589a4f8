def a():
    pass


def b():
    pass


for left, right in zip([a], [b]):
    right()
