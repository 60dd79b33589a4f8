class Clock:
    def __init__(self):
        self.wind()

    def wind(self):
        pass


Clock()
