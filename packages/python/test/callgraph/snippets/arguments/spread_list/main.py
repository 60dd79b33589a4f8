def up():
    pass


def down():
    pass


def move(one, other):
    one()


moves = [down, up]
move(*moves)
