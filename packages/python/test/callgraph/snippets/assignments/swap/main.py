def tick():
    pass


def tock():
    pass


a, b = tick, tock
a, b = b, a
a()
