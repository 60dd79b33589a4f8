def handlers():
    return {"go": go, "halt": halt}


def go():
    pass


def halt():
    pass


handlers()["halt"]()
