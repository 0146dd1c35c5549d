"""Names of attached files: readable in any script, and harmless in URLs, headers and folders."""

import re
import unicodedata

from skerry.visibility import is_visible

MAX_BYTES = 180
"""The maximum length of a name in UTF-8. File systems allow 255 bytes, also for what archives prefix."""

_JOINERS = "\u200c\u200d"
_MAX_EXTENSION_BYTES = 20
# Windows does not open files with these names, whatever their extension.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)


def file_name(said: str) -> str:
    """Return the name under which a file is kept, without its folders.

    Letters, marks and digits of all scripts, their joiners and ``_.-`` stay, control and format characters
    go, and everything else becomes ``_``. The name is cut before its extension to MAX_BYTES.
    """
    composed = unicodedata.normalize("NFC", re.split(r"[/\\]", said)[-1])
    name = unicodedata.normalize("NFC", "".join(map(_kept, composed)))
    # Windows drops dots at the end, and a path segment that consists of dots would change the path.
    name = re.sub(r"\.+$", lambda dots: "_" * len(dots[0]), name)
    if _RESERVED.match(name) or not is_visible(name):
        name = f"_{name}"
    return _cut(name)


def _kept(character: str) -> str:
    category = unicodedata.category(character)
    if character in _JOINERS or category[0] == "M":
        return character
    if category[0] in "LN":
        return character if is_visible(character) else "_"
    if category in {"Cc", "Cf"}:
        return ""
    return character if character in "_.-" else "_"


def _cut(name: str) -> str:
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension.encode()) > _MAX_EXTENSION_BYTES:
        stem, dot, extension = name, "", ""
    room = MAX_BYTES - len(f"{dot}{extension}".encode())
    return f"{stem.encode()[:room].decode(errors='ignore')}{dot}{extension}"
