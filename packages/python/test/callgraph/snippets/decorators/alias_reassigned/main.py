def quiet(f):
    return f


def loud(f):
    def shout():
        f()

    return shout


wrap = quiet


@wrap
def first():
    pass


wrap = loud


@wrap
def second():
    pass


first()
second()
