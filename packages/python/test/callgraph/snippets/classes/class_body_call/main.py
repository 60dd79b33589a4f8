def register():
    return 1


class Entry:
    number = register()
