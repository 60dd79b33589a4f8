import settings


def custom():
    pass


settings.handler = custom
settings.use()
