def hammer():
    pass


def use(tool):
    tool()
