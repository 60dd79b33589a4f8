def step():
    old()


def old():
    pass


step()


def step():
    new()


def new():
    pass


step()
