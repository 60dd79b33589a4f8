def old():
    pass


def new():
    pass


name = old
name = new
name()
