class Base:
    def act(self):
        pass


class Middle(Base):
    def act(self):
        pass


class Last(Middle):
    def act(self):
        super(Middle, self).act()


Last().act()
