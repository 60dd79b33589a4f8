class Bag:
    def __iter__(self):
        yield content


def content():
    pass


for thing in Bag():
    thing()
