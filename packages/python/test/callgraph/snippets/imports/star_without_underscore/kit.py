def visible():
    _hidden()


def _hidden():
    pass
