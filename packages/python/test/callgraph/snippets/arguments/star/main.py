def first():
    pass


def second():
    pass


def run(*steps):
    steps[1]()


run(first, second)
