def ground():
    pass
