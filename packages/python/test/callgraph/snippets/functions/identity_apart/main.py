def same(value):
    return value


def one():
    pass


def two():
    pass


first = same(one)
second = same(two)
first()
