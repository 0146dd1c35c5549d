"""Characters that XML 1.0 does not allow, those that end a line, and invisible ones."""

import re

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_LINE_ENDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# Those that reverse what follows them, or set it apart: in a line made of several texts, nothing ends them.
_DIRECTIONS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)])


def replace_invalid(text: str) -> str:
    """Return the text with each character that XML 1.0 does not allow replaced by U+FFFD."""
    return _FORBIDDEN.sub("\ufffd", text)


def printable(text: str) -> str:
    """Return the text in one line, with each character that terminals do not show replaced by U+FFFD."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


def one_line(text: str) -> str:
    """Return a text as part of one line: blanks for line ends and control characters, no directions."""
    return _LINE_ENDS.sub(" ", text.translate(_DIRECTIONS)).strip()
