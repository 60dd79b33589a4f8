class Late(Exception):
    def __init__(self, minutes):
        self.note(minutes)

    def note(self, minutes):
        pass


try:
    raise Late(3)
except Late:
    pass
