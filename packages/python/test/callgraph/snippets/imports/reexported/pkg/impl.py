def act():
    pass
