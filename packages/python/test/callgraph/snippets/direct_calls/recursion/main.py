def countdown(n):
    if n:
        countdown(n - 1)


countdown(2)
