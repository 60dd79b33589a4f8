def sweep():
    pass


def mop():
    pass


def assign(chore):
    chore()


assign(sweep)
assign(mop)
