def made():
    pass


cache = {}
cache.setdefault("m", made)()
