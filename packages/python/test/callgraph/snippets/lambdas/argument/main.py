def apply(f):
    f()


apply(lambda: 1)
apply(lambda: 2)
