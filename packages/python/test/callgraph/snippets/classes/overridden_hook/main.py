class Report:
    def write(self):
        self.body()

    def body(self):
        pass


class Short(Report):
    def body(self):
        pass


Short().write()
