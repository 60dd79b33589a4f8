def first():
    pass


def second():
    pass


table = {"key": first}
table["key"] = second
table["key"]()
