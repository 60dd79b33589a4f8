def opened():
    pass


def closed():
    pass


def choose(**options):
    options["on_open"]()


choose(on_open=opened, on_close=closed)
