class Visitor:
    def visit(self, kind):
        return getattr(self, "visit_" + kind)()

    def visit_leaf(self):
        pass

    def other(self):
        pass


Visitor().visit("leaf")
