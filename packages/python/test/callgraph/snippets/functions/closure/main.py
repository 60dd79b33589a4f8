def make(action):
    def run():
        action()

    return run


def beep():
    pass


make(beep)()
