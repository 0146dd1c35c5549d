"""Comparison of names, regardless of case, spacing and Unicode form."""

import unicodedata


def folded(name: str) -> str:
    """Return a name in the form for comparison: lower case, single spaces, composed accents."""
    return " ".join(small(name).split())


def small(text: str) -> str:
    """Return a text in lower case and composed characters."""
    return unicodedata.normalize("NFC", text.casefold())
