class Commands:
    def do(self, word):
        getattr(self, f"do_{word}")()

    def do_quit(self):
        pass


Commands().do("quit")
