def traced(f):
    def wrapper():
        return f()

    return wrapper


@traced
def work():
    pass


work()
