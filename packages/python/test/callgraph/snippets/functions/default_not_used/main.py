def usual():
    pass


def special():
    pass


def act(how=usual):
    how()


act(special)
