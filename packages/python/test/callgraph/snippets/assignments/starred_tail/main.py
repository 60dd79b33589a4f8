def head():
    pass


def middle():
    pass


def last():
    pass


one, *others = head, middle, last
others[1]()
