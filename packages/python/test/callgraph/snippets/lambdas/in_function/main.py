def maker():
    return lambda: helper()


def helper():
    pass


maker()()
