class Plain:
    pass


Plain()
