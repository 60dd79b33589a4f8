def repeat(times):
    def decorate(f):
        def wrapper():
            f()

        return wrapper

    return decorate


@repeat(2)
def hello():
    pass


hello()
