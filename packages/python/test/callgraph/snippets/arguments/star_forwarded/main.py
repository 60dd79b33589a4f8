def brew(kind):
    kind()


def tea():
    pass


def forward(target, *rest):
    target(*rest)


forward(brew, tea)
