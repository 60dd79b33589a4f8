class Unwritable(Exception):
    """Says in a few words why there is no source for a value."""
