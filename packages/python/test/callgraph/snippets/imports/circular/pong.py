import ping


def answer(n):
    ping.start(n)
