def old():
    pass


def new():
    pass


base = {"x": old}
more = {"x": new}
base.update(more)
base["x"]()
