class Pages:
    def __getitem__(self, number):
        if number > 1:
            raise IndexError
        return turn


def turn():
    pass


for page in Pages():
    page()
