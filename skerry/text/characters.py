"""Characters that XML 1.0 cannot hold, and that therefore no answer may contain."""

import re

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def mended(text: str) -> str:
    """Give the text with U+FFFD in place of each character that XML 1.0 cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)
