__all__ = ["public"]


def public():
    private()


def private():
    pass
