from .impl import act
