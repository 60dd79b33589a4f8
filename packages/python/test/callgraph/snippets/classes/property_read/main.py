class Circle:
    @property
    def area(self):
        return self.compute()

    def compute(self):
        return 3


Circle().area
