from collections import UserDict


class Register(UserDict):
    pass


Register().keys()
