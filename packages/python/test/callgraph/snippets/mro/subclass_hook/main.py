class Base:
    def __init_subclass__(cls):
        note()


def note():
    pass


class Derived(Base):
    pass
