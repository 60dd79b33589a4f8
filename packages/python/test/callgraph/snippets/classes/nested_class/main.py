class Outer:
    class Inner:
        def work(self):
            pass


Outer.Inner().work()
