from dataclasses import dataclass


def job():
    pass


@dataclass
class Task:
    work: object

    def perform(self):
        self.work()


Task(job).perform()
