def f():
    pass


f()
