def final(callback):
    callback()


def done():
    pass


def relay(**options):
    final(**options)


relay(callback=done)
