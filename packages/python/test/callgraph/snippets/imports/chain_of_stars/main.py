from top import *

bottom_function()
