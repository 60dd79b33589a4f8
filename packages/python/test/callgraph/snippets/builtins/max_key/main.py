def score(item):
    return -item


max([1, 2], key=score)
