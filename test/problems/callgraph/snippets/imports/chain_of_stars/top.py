from bottom import *
