def deep():
    pass


def deeper():
    pass


tree = {"a": {"b": deep}}
tree["a"]["b"] = deeper
tree["a"]["b"]()
