def target():
    pass


exec("alias = target\nalias()")
