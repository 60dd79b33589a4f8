def tea():
    pass


def coffee():
    pass


for make in {"t": tea, "c": coffee}.values():
    make()
