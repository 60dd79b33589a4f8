def asked():
    pass


def instead():
    pass


def call(action):
    action = instead
    action()


call(asked)
