"""Decoding of text as browsers decode it (WHATWG Encoding), because labels of character sets often lie."""

import binascii
import codecs
import quopri
import re
from itertools import groupby

import webencodings

# Labels that senders often write although the text is in another encoding.
_UNSAID = ("", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "unknown", "default")
# Encodings that are slow, or that are not character sets.
_NO_CHARSETS = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined")
# Python's codecs that lack characters of the encodings of the same name in browsers.
_WIDER = {"gbk": "gb18030", "iso2022_jp": "iso2022_jp_ext"}
_JAPANESE = ("euc_jp", "iso2022_jp_ext")
_EAST_ASIAN = ("gb18030", "hz", "big5hkscs", "cp949", "iso2022_kr", "cp932", *_JAPANESE)
_BEGINNINGS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_MAX_META = 4096
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_META = re.compile(
    rb"<(?:meta\s[^>]{0,400}?charset|\?xml\s[^>]{0,100}?encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE
)
_WORD = r"=\?([^?\s]{1,80})\?([bq])\?([^?]*)\?="
_WORDS = re.compile(rf"{_WORD}(?:\s*{_WORD})*", re.IGNORECASE)
_EACH_WORD = re.compile(_WORD, re.IGNORECASE)


def decode(content: bytes, label: str = "") -> str:
    """Return the text in the character set with a label, or in the one that fits if it is unknown."""
    for beginning, codec in _BEGINNINGS:
        if content.startswith(beginning):
            return content[len(beginning) :].decode(codec, "replace")
    codec = _codec(label)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return _decode_labelled(content, codec)
    # The characters of East Asia have three bytes in UTF-8, which are hardly ever valid by chance.
    is_certain = codec in _EAST_ASIAN and any(character >= "\u0800" for character in text)
    return _decode_labelled(content, codec) if codec and not is_certain else text


def _decode_labelled(content: bytes, codec: str) -> str:
    text = content.decode(codec or "cp1252", _JAPANESE_WIDER if codec in _JAPANESE else "replace")
    # Without a single character of UTF-8, what is not ASCII is in the encoding of Western Europe.
    is_wrong = codec == "utf_8" and "\ufffd" in text and text.replace("\ufffd", "").isascii()
    return content.decode("cp1252", "replace") if is_wrong else text


def _codec(label: str) -> str:
    """Return Python's name of the encoding with a label; empty if the label is unknown or unreliable."""
    label = label.strip(" \t\r\n\f\"'").lower()
    if label in _UNSAID:
        return ""
    encoding = webencodings.lookup(label)
    try:
        # Some encodings that browsers refuse still occur in mail.
        info = encoding.codec_info if encoding and encoding.name != "replacement" else codecs.lookup(label)
        name = info.name.replace("-", "_")
        "".encode(name)  # fails for codecs that are not character sets
    except (LookupError, ValueError, TypeError):
        return ""
    return "" if name in _NO_CHARSETS else _WIDER.get(name, name)


def decode_html(content: bytes, label: str) -> str:
    """Return HTML in the character set with a label, or else in the one that it names itself."""
    if _codec(label):
        return decode(content, label)
    meta = _META.search(_COMMENT.sub(b"", content[:_MAX_META]))
    named = meta[1].decode("ascii", "replace") if meta else ""
    # It could not have been read if it were in UTF-16.
    return decode(content, "utf-8" if _codec(named).startswith("utf_16") else named)


def decode_words(text: str) -> str:
    """Return a text with its encoded words decoded (RFC 2047), wherever they stand."""
    return _WORDS.sub(lambda words: _decoded_words(words[0]), text)


def _decoded_words(words: str) -> str:
    # A character may be divided among words, so their bytes are joined.
    words_with_labels = (
        (label.partition("*")[0].lower(), kind, said) for label, kind, said in _EACH_WORD.findall(words)
    )
    return "".join(
        decode(b"".join(_word(kind, said) for _, kind, said in some), label)
        for label, some in groupby(words_with_labels, key=lambda word: word[0])
    )


def _word(kind: str, said: str) -> bytes:
    content = said.encode("utf-8", "replace")
    if kind in "qQ":
        return quopri.decodestring(content, header=True)
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", content)
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"==")


def _wider(error: UnicodeError) -> tuple[str, int]:
    """Return a character that Windows adds to the Japanese character set, as an error handler of codecs."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    pair = [byte & 0x7F for byte in error.object[error.start : error.start + 2]]
    if len(pair) == 2 and min(pair) > 0x20:  # noqa: PLR2004 - row and cell
        row, cell = pair
        lead = (row + 1) // 2 + (0x70 if row < 0x5F else 0xB0)  # noqa: PLR2004 - as Shift_JIS divides rows
        trail = cell + (0x1F + (cell > 0x5F) if row % 2 else 0x7E)  # noqa: PLR2004 - the same
        character = bytes((lead, trail)).decode("cp932", "replace")
        if "\ufffd" not in character:
            return character, error.start + 2
    return "\ufffd", error.start + 1


_JAPANESE_WIDER = "skerry.japanese"
codecs.register_error(_JAPANESE_WIDER, _wider)
