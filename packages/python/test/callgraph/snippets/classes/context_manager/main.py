class Lock:
    def __enter__(self):
        return self

    def __exit__(self, *details):
        pass

    def held(self):
        pass


with Lock() as lock:
    lock.held()
