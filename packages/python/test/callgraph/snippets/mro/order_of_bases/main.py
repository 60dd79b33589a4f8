class First:
    def act(self):
        pass


class Second:
    def act(self):
        pass


class Both(First, Second):
    pass


Both().act()
