def saw():
    pass


def drill():
    pass
