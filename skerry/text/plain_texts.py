"""Texts of plain words, in which nothing can be markup, a reference or an address.

A third of all texts are such, and need no parser.
"""

import re

# The longest takes the parser far fewer steps than it may.
_MAX_LENGTH = 2000

_LINE = r"""[A-Za-z](?:[^\W_]|[ !"$%'()+,./;=?^{}-]|:(?!/))*+(?<! )"""
_PLAIN = re.compile(rf"{_LINE}(?:\n{{1,2}}{_LINE})*+", re.ASCII)


def paragraphs(text: str) -> str | None:
    """Return the HTML that the parser would make of a text of plain words, or None for any other text."""
    if len(text) > _MAX_LENGTH or not _PLAIN.fullmatch(text) or "www." in text.lower():
        return None
    lines = text.replace("\n\n", "</p>\0<p>").replace("\n", "<br>\n").replace("\0", "\n")
    return f"<p>{lines}</p>"
