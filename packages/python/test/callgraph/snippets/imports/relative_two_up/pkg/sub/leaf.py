from ..base import ground


def run():
    ground()
