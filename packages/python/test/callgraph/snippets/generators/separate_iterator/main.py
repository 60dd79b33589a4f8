class Cursor:
    def __init__(self):
        self.left = [act]

    def __next__(self):
        if not self.left:
            raise StopIteration
        return self.left.pop()


class Rows:
    def __iter__(self):
        return Cursor()


def act():
    pass


for row in Rows():
    row()
