kept = list(filter(lambda n: n > 1, [1, 2, 3]))
