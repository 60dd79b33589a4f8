def beep():
    pass


class Robot:
    def __init__(self):
        self.speak = beep

    def talk(self):
        self.speak()


Robot().talk()
