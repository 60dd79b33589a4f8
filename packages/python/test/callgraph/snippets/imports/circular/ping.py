import pong


def start(n):
    if n:
        pong.answer(n - 1)
