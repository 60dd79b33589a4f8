class Pump:
    def run(self):
        pass


def operate(kind):
    kind().run()


operate(Pump)
