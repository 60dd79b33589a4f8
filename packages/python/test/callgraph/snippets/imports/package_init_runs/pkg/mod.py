def ready():
    pass


ready()
