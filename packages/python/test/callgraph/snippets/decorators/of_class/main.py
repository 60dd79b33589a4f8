def registered(cls):
    return cls


@registered
class Plugin:
    def run(self):
        pass


Plugin().run()
