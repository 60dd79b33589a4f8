class Maths:
    @staticmethod
    def twice(n):
        return n * 2


Maths.twice(1)
Maths().twice(2)
