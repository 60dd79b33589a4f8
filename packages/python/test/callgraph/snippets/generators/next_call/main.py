def produce():
    yield job


def job():
    pass


next(produce())()
