def red():
    pass


def blue():
    pass


def paint(top, bottom):
    top()


paint(bottom=blue, top=red)
