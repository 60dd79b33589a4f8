def a():
    pass


def b():
    pass


items = [a]
items[0] = b
items[0]()
