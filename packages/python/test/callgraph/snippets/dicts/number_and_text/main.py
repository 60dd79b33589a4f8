def by_number():
    pass


def by_text():
    pass


mixed = {1: by_number, "1": by_text}
mixed["1"]()
