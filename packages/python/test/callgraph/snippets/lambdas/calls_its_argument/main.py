def target():
    pass


call = lambda f: f()
call(target)
