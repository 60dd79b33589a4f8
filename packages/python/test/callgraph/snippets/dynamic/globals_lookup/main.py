def chosen():
    pass


globals()["chosen"]()
