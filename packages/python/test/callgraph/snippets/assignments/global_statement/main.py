def setup():
    global hook
    hook = fire


def fire():
    pass


hook = None
setup()
hook()
