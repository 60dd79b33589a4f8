def found():
    pass


if (hit := found):
    hit()
