def normal():
    raise ValueError


def rescue():
    pass


action = normal
try:
    action()
except ValueError:
    action = rescue
action()
