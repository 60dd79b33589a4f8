class Lamp:
    def glow(self):
        pass


getattr(Lamp(), "glow")()
