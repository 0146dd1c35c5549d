"""What things are called: names are compared as people mean them, not as they were typed."""


def folded(name: str) -> str:
    """Give a name as it is compared: in small letters, with single blanks and none around it."""
    return " ".join(name.casefold().split())
