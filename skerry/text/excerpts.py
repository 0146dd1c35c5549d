"""The beginning of a text, for lists."""

import re
from html import unescape

# These separate words, even without a space.
_APART = re.compile(r"<(?:br|/(?:p|div|li|td|th|h[1-6]|pre|blockquote|address))\b")
_TAG = re.compile(r"""<(?:"[^"]*(?:"|$)|[^">])*(?:>|$)""")
_CUT = re.compile(r"&#?\w*$")


def excerpt(html: str, longest: int) -> str:
    """Return the first words of rendered text on one line, without markup, up to ``longest`` characters.

    The text may be cut off anywhere, even inside a tag.
    """
    apart = _APART.sub(lambda found: f" {found[0]}", html)
    words = unescape(_CUT.sub("", _TAG.sub("", apart))).split()
    return " ".join(words)[:longest]
