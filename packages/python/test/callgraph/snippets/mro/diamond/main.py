class Top:
    def act(self):
        pass


class Left(Top):
    pass


class Right(Top):
    def act(self):
        pass


class Bottom(Left, Right):
    pass


Bottom().act()
