def print(text):
    pass


print("no builtin")
len("builtin")
