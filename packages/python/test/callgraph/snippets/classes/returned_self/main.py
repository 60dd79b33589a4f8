class Builder:
    def add(self):
        return self

    def done(self):
        pass


Builder().add().add().done()
