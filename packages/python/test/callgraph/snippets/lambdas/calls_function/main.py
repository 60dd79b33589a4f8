def deep():
    pass


act = lambda: deep()
act()
