def before():
    pass


def after():
    pass


step = before
for _ in range(2):
    step()
    step = after
