def produce():
    yield work


def work():
    pass


for each in produce():
    each()
