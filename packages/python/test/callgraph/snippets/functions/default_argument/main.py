def usual():
    pass


def act(how=usual):
    how()


act()
