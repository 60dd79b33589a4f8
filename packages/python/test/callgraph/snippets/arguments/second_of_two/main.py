def left():
    pass


def right():
    pass


def take(first, second):
    second()


take(left, right)
