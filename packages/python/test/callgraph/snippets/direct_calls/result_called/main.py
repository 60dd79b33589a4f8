def give():
    return target


def target():
    pass


give()()
