def kept():
    pass


def replaced():
    pass


def fresh():
    pass


table = {"one": kept, "two": replaced}
table.update({"two": fresh})
table["one"]()
table["two"]()
