def logged(method):
    def wrapper(self):
        return method(self)

    return wrapper


class Shop:
    @logged
    def sell(self):
        pass


Shop().sell()
