class Base:
    def prepare(self):
        self.tool = sharpen


class Derived(Base):
    def work(self):
        self.prepare()
        self.tool()


def sharpen():
    pass


Derived().work()
