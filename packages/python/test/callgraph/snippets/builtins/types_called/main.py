number = int("1")
text = str(number)
text.upper()
