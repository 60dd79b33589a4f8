(lambda: 1)()
