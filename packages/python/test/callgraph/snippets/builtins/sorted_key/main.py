def weight(item):
    return item


sorted([3, 1, 2], key=weight)
