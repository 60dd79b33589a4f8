def a():
    pass


def b():
    pass


grown = [a]
grown.append(b)
grown[1]()
