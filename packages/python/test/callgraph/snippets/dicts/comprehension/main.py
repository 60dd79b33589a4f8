def wash():
    pass


todo = {name: job for name, job in [("wash", wash)]}
todo["wash"]()
