"""Names: comparing them as people mean them, not as they were typed."""

import unicodedata


def folded(name: str) -> str:
    """Return a name in the form in which names are compared: lower case, single spaces.

    Accents may be separate characters, as some programs write them.
    """
    return " ".join(small(name).split())


def small(text: str) -> str:
    """Return a text in lower case and composed characters."""
    return unicodedata.normalize("NFC", text.casefold())
