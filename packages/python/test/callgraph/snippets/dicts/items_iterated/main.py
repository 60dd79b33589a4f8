def start():
    pass


for name, action in {"start": start}.items():
    action()
