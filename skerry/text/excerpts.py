"""The beginning of a text for those who only look whether they want to read it."""

import re
from html import unescape

# What stands between these is not one word, even if no blank parts it.
_APART = re.compile(r"<(?:br|/(?:p|div|li|td|th|h[1-6]|pre|blockquote|address))\b")
_TAG = re.compile(r"""<(?:"[^"]*(?:"|$)|[^">])*(?:>|$)""")
_CUT = re.compile(r"&#?\w*$")


def excerpt(html: str, longest: int) -> str:
    """Return the first words of rendered text on one line, without marks, at most so many characters.

    The text may have been cut off anywhere, in the middle of a tag too.
    """
    apart = _APART.sub(lambda found: f" {found[0]}", html)
    words = unescape(_CUT.sub("", _TAG.sub("", apart))).split()
    return " ".join(words)[:longest]
