class Refused(Exception):
    def explain(self):
        pass


try:
    raise Refused()
except Refused as problem:
    problem.explain()
