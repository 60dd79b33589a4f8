def prepare():
    pass


prepare()
