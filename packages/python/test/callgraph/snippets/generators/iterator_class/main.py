class Countdown:
    def __iter__(self):
        return self

    def __next__(self):
        raise StopIteration


for _ in Countdown():
    pass
