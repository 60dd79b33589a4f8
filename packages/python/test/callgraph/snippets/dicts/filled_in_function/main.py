def added():
    pass


def fill(target):
    target["late"] = added


slots = {}
fill(slots)
slots["late"]()
