import functools


def kept(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    return wrapper


@kept
def greet(name):
    pass


greet("you")
