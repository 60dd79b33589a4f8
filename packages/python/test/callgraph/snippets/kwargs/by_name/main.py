def go():
    pass


def act(first=None, second=None):
    second()


act(second=go)
