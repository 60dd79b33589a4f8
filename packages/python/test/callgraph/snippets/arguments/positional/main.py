def ring():
    pass


def press(button):
    button()


press(ring)
