class Animal:
    def breathe(self):
        pass


class Dog(Animal):
    pass


Dog().breathe()
