"""Tolerant parsing of JSON in files that other programs wrote.

Where programs cut texts, copy them between encodings or write numbers that JSON does not have, only the
damaged character or number is lost, and the correction is counted.
"""

import codecs
import json
from collections import Counter
from math import isfinite
from typing import Any

from skerry.errors import BadRequest
from skerry.wire.json import check_number_of_values, named
from skerry.wire.tree import TOO_DEEP

BROKEN = "{n} {file was|files were} not in UTF-8; what could not be read is now U+FFFD"
NUMBERS = "{n} {number was|numbers were} out of range or no number and {was|were} left out"
DOUBLED = "{n} {object has|objects have} a name twice; the last value was used"

_MAX_DIGITS = 30


def read(body: bytes, most: int, told: Counter[str]) -> Any:
    """Return any JSON value, with underscores in all its keys, and count the corrections in ``told``.

    Texts may contain half a character of UTF-16. Raises BadRequest for anything that is not JSON, with its
    line, for more than ``most`` values, and for more than 64 levels.
    """
    check_number_of_values(body, most)
    try:
        return named(_decoder(told).decode(_text(body, told)), 1)
    except RecursionError:
        raise BadRequest(TOO_DEEP) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadRequest(f"The JSON cannot be read: {error.msg}, {place}") from error


def _text(body: bytes, told: Counter[str]) -> str:
    charset = "utf-16" if body.startswith((codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)) else "utf-8-sig"
    try:
        return body.decode(charset)
    except UnicodeDecodeError:
        told[BROKEN] += 1
        return body.decode(charset, "replace")


def _decoder(told: Counter[str]) -> json.JSONDecoder:
    def whole(text: str) -> int | None:
        return int(text) if len(text) <= _MAX_DIGITS else fraction("inf")

    def fraction(text: str) -> Any:
        number = float(text)
        told[NUMBERS] += not isfinite(number)
        return number if isfinite(number) else None

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        by_name = dict(pairs)
        told[DOUBLED] += len(by_name) < len(pairs)
        return by_name

    return json.JSONDecoder(
        object_pairs_hook=members,
        parse_int=whole,
        parse_float=fraction,
        parse_constant=fraction,
        strict=False,
    )
