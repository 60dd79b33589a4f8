def north():
    pass


def south():
    pass


def west():
    pass


a, (b, c) = north, (south, west)
c()
b()
