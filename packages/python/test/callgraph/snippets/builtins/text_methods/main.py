words = "a b".split()
line = ", ".join(words)
line.upper().strip()
