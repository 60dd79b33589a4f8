def handle():
    pass


def other():
    pass


def dispatch(handlers):
    handlers["go"]()


dispatch({"go": handle, "stay": other})
