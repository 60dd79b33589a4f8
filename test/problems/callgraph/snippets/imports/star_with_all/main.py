from kit import *

public()
