outer = lambda: (lambda: 1)
outer()()
