def run():
    pass


def start(*, action):
    action()


start(action=run)
