def root():
    pass


one = two = three = root
two()
three()
