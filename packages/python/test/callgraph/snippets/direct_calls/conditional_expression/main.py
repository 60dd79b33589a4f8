def yes():
    pass


def no():
    pass


flag = bool(1)
(yes if flag else no)()
