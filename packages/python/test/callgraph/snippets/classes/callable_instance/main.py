class Greeter:
    def __call__(self):
        pass


greet = Greeter()
greet()
