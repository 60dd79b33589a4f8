handler = None


def use():
    handler()
