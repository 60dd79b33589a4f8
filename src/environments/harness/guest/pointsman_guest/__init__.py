"""What runs beside a function under test: cases, calls, inputs, and values as data. Standard library only, Python 3.8
to 3.13.
"""
