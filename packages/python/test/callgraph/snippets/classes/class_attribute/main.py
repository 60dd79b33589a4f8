def helper():
    pass


class Table:
    action = helper


Table.action()
