def a():
    pass


def b():
    pass


pair = [a, b]
pair[1]()
