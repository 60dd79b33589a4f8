def build():
    current = None

    def choose():
        nonlocal current
        current = picked

    choose()
    current()


def picked():
    pass


build()
