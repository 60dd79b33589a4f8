def alpha():
    pass


def beta():
    pass


def gamma():
    pass


def delta():
    pass


letters = [alpha, beta, gamma, delta]
first, *between, end = letters
between[0]()
end()
