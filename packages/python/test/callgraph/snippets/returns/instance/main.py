class Gear:
    def turn(self):
        pass


def build():
    return Gear()


build().turn()
