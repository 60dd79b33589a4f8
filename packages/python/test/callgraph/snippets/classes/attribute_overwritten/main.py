def early():
    pass


def late():
    pass


class Holder:
    pass


holder = Holder()
holder.action = early
holder.action = late
holder.action()
