"""What things are called: names are compared as people mean them, not as they were typed."""

import unicodedata


def folded(name: str) -> str:
    """Return a name in the form in which names are compared: lower case, single spaces.

    An accent may have come as a character of its own, as some programs write it.
    """
    return " ".join(small(name).split())


def small(text: str) -> str:
    """Return a text in lower case and composed characters."""
    return unicodedata.normalize("NFC", text.casefold())
