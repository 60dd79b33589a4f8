from threading import Thread


class Worker(Thread):
    def go(self):
        self.getName()


worker = Worker()
worker.go()
