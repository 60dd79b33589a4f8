def square(n):
    return n


list(square(n) for n in [1, 2])
