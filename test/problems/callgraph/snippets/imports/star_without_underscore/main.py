from kit import *

visible()
