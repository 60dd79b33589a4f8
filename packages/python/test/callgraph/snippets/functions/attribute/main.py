def carrier():
    pass


def cargo():
    pass


carrier.load = cargo
carrier.load()
