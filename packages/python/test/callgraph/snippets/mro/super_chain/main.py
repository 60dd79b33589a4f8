class Top:
    def act(self):
        pass


class Left(Top):
    def act(self):
        super().act()


class Right(Top):
    def act(self):
        super().act()


class Bottom(Left, Right):
    def act(self):
        super().act()


Bottom().act()
