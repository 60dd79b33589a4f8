class Bird:
    pass


def whistle(self):
    pass


Bird.sing = whistle
Bird().sing()
