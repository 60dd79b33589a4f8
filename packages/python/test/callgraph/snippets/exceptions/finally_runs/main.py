def cleanup():
    pass


def risky():
    pass


try:
    risky()
finally:
    cleanup()
