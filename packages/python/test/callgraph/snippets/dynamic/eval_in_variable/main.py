def hidden():
    pass


source = "hid" + "den()"
eval(source)
