def marked(f):
    return f


@marked
def one():
    pass


@marked
def two():
    pass


one()
