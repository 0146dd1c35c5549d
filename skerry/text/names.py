"""What things are called: names are compared as people mean them, not as they were typed."""

import unicodedata


def folded(name: str) -> str:
    """Give a name as it is compared: in small letters, with single blanks and none around it.

    An accent may have come as a character of its own, as some programs write it.
    """
    return " ".join(small(name).split())


def small(text: str) -> str:
    """Give a text in small letters, each in one character with its accent where there is one."""
    return unicodedata.normalize("NFC", text.casefold())
