def original():
    pass


copy = original
copy()
