def bottom_function():
    pass
