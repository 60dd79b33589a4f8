def hot():
    pass


def cold():
    pass


def pour(kind, cup):
    kind()


pour(**{"cup": cold, "kind": hot})
