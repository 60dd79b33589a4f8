def left():
    pass


def right():
    pass


both = {**{"l": left}, **{"r": right}}
both["r"]()
