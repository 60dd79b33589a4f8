def lazily():
    from late import act

    act()


lazily()
