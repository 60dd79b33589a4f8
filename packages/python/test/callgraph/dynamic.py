"""Runs the main.py of each folder given, each in a process of its own, and prints which functions called which.

One line of JSON a folder: a list of [caller, callee]. Only code of the folder counts; what C code or a library calls
back is called by whoever called that. Needs Python 3.11 for qualified names.
"""
import json
import os
import sys

COMPREHENSIONS = {"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"}
NEWLOCALS = 0x2


class Watch:
    def __init__(self, root):
        self.root = os.path.abspath(root)
        self.calls = set()

    def dotted(self, code):
        """The graph's name of a code object; None for code from elsewhere."""
        if not code.co_filename.startswith(self.root + os.sep):
            return None
        module = os.path.relpath(code.co_filename, self.root)[: -len(".py")].replace(os.sep, ".")
        if module.endswith(".__init__"):
            module = module[: -len(".__init__")]
        skipped = COMPREHENSIONS | {"<module>", "<locals>"}
        return ".".join([module, *(part for part in code.co_qualname.split(".") if part not in skipped)])

    def __call__(self, frame, event, argument):
        code = frame.f_code
        is_function = code.co_flags & NEWLOCALS and code.co_name not in COMPREHENSIONS
        if event != "call" or not is_function or self.dotted(code) is None:
            return
        behind = frame.f_back
        while behind is not None and self.dotted(behind.f_code) is None:
            behind = behind.f_back
        if behind is not None:
            self.calls.add((self.dotted(behind.f_code), self.dotted(code)))


def run(root):
    watch = Watch(root)
    main = os.path.join(watch.root, "main.py")
    sys.path.insert(0, watch.root)
    with open(main) as source:
        program = compile(source.read(), main, "exec")
    sys.setprofile(watch)
    try:
        exec(program, {"__name__": "__main__", "__file__": main})
    finally:
        sys.setprofile(None)
    print(json.dumps(sorted(watch.calls)), flush=True)


for folder in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        run(folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        sys.exit(f"{folder} failed")
