class Dial:
    @property
    def level(self):
        return 1

    @level.setter
    def level(self, value):
        check(value)


def check(value):
    pass


Dial().level = 2
