class Counted:
    def __init__(self, f):
        self.f = f

    def __call__(self):
        self.f()


@Counted
def task():
    pass


task()
