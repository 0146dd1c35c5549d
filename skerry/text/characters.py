"""Characters that XML 1.0 does not allow, and that therefore no response contains, and invisible ones."""

import re

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def replace_invalid(text: str) -> str:
    """Return the text with each character that XML 1.0 does not allow replaced by U+FFFD."""
    return _FORBIDDEN.sub("\ufffd", text)


def printable(text: str) -> str:
    """Return the text in one line, with each character that terminals do not show replaced by U+FFFD."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)
