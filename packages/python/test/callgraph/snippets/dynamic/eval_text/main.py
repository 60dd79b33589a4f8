def secret():
    pass


eval("secret()")
