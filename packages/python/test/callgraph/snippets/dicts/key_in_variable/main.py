def run():
    pass


def stop():
    pass


command = "run"
actions = {"run": run, "stop": stop}
actions[command]()
