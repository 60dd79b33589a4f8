def a():
    pass


for at, each in enumerate([a]):
    each()
