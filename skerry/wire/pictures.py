"""The type and size of an image, determined from its bytes.

Only a few numbers at fixed positions are read: nothing is decoded, and a hostile file costs only a few short
reads.
"""

import struct
from collections.abc import Callable
from typing import BinaryIO

Size = tuple[int, int]
"""Width and height in pixels."""

# A camera writes a dozen segments and directories before the size, never hundreds.
_MAX_SEGMENTS = 500
_MAX_ENTRIES = 500

_NO_SIZE = frozenset([0x01, *range(0xD0, 0xD9)])
_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_WIDTH, _HEIGHT = 256, 257


class _UnreadableError(Exception):
    """The bytes are not in the format."""


def described(file: BinaryIO, said: str = "") -> tuple[str, int | None, int | None]:
    """Return the media type, width and height of a picture in a format that all browsers show.

    The type is empty for anything else; its size is only returned if the client ``said`` that it is a
    picture.
    """
    size = size_of(file)
    if size is None:
        return "", None, None
    start = _at(file, 0, 12)
    shown = next((kind for mark, kind in _SHOWN.items() if start.startswith(mark)), "")
    return (shown, *size) if shown or said.startswith("image/") else ("", None, None)


def size_of(file: BinaryIO) -> Size | None:
    """Return the size of a PNG, JPEG, GIF, WebP, BMP or TIFF picture, or None for anything else."""
    try:
        start = _at(file, 0, 12)
        for mark, read in _READERS.items():
            if start.startswith(mark):
                width, height = read(file)
                return (width, height) if width > 0 and height > 0 else None
    except (_UnreadableError, OSError):
        pass
    return None


def _at(file: BinaryIO, place: int, length: int) -> bytes:
    file.seek(place)
    content = file.read(length)
    if len(content) < length:
        raise _UnreadableError
    return content


def _numbers(file: BinaryIO, place: int, form: str) -> tuple[int, ...]:
    return struct.unpack(form, _at(file, place, struct.calcsize(form)))


def _png(file: BinaryIO) -> Size:
    if _at(file, 12, 4) != b"IHDR":
        raise _UnreadableError
    width, height = _numbers(file, 16, ">II")
    return width, height


def _gif(file: BinaryIO) -> Size:
    width, height = _numbers(file, 6, "<HH")
    return width, height


def _bmp(file: BinaryIO) -> Size:
    (header,) = _numbers(file, 14, "<I")
    width, height = _numbers(file, 18, "<HH" if header == 12 else "<ii")  # noqa: PLR2004 - the oldest header
    # A negative height means that the rows begin at the top.
    return width, abs(height)


def _webp(file: BinaryIO) -> Size:
    if _at(file, 8, 4) != b"WEBP":
        raise _UnreadableError
    kind = _at(file, 12, 4)
    if kind == b"VP8 ":
        width, height = _numbers(file, 26, "<HH")
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        (bits,) = _numbers(file, 21, "<I")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        packed = _at(file, 24, 6)
        return int.from_bytes(packed[:3], "little") + 1, int.from_bytes(packed[3:], "little") + 1
    raise _UnreadableError


def _jpeg(file: BinaryIO) -> Size:
    place = 2
    for _ in range(_MAX_SEGMENTS):
        mark, code = _numbers(file, place, ">BB")
        if mark != 0xFF:  # noqa: PLR2004 - the first byte of every marker
            raise _UnreadableError
        if code == mark:
            place += 1
        elif code in _NO_SIZE:
            place += 2
        elif code in _START_OF_FRAME:
            height, width = _numbers(file, place + 5, ">HH")
            return width, height
        else:
            place += 2 + _numbers(file, place + 2, ">H")[0]
    raise _UnreadableError


def _tiff(file: BinaryIO) -> Size:
    order = "<" if _at(file, 0, 2) == b"II" else ">"
    (directory,) = _numbers(file, 4, f"{order}I")
    (entries,) = _numbers(file, directory, f"{order}H")
    sizes: dict[int, int] = {}
    for entry in range(min(entries, _MAX_ENTRIES)):
        place = directory + 2 + 12 * entry
        tag, kind = _numbers(file, place, f"{order}HH")
        if tag in (_WIDTH, _HEIGHT):
            width = "H" if kind == 3 else "I"  # noqa: PLR2004 - type 3 has 16 bits, type 4 has 32
            (sizes[tag],) = _numbers(file, place + 8, f"{order}{width}")
    return sizes.get(_WIDTH, 0), sizes.get(_HEIGHT, 0)


_READERS: dict[bytes, Callable[[BinaryIO], Size]] = {
    b"\x89PNG\r\n\x1a\n": _png,
    b"\xff\xd8\xff": _jpeg,
    b"GIF87a": _gif,
    b"GIF89a": _gif,
    b"RIFF": _webp,
    b"BM": _bmp,
    b"II*\0": _tiff,
    b"MM\0*": _tiff,
}

_SHOWN = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
}
