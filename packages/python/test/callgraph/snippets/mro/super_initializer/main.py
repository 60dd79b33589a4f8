class Base:
    def __init__(self):
        pass


class Derived(Base):
    def __init__(self):
        super().__init__()


Derived()
