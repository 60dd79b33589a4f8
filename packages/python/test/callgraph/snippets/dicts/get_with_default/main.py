def known():
    pass


def fallback():
    pass


handlers = {"k": known}
handlers.get("k")()
handlers.get("x", fallback)()
