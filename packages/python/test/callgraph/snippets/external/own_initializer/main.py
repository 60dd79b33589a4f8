from collections import UserList


class Names(UserList):
    def __init__(self):
        super().__init__([])


Names()
