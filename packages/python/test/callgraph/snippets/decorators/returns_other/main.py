def replaced(f):
    return stand_in


def stand_in():
    pass


@replaced
def gone():
    pass


gone()
