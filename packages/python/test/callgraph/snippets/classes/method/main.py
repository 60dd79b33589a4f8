class Door:
    def open(self):
        pass


door = Door()
door.open()
