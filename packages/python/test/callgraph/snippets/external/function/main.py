import os

os.getcwd()
