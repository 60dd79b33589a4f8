class Base:
    def __init__(self):
        self.act = outside

    def act(self):
        pass


class Derived(Base):
    pass


def outside():
    pass


Derived().act()
