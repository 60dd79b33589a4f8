class Switch:
    def flip(self):
        pass

    def handle(self):
        return self.flip


Switch().handle()()
