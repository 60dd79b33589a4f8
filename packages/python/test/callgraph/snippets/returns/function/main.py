def pick():
    return chosen


def chosen():
    pass


result = pick()
result()
