from functools import partial


def power(base, action):
    action()


def cube():
    pass


partial(power, 3)(cube)
