"""Sealed texts: encrypted, and bound to the column and the row in which they are stored.

A sealed text is ``sealed:KEY:TEXT``, with the id of its key, and in base64 a nonce and what AES-GCM made of
the text. The place of the text is authenticated with it, so it cannot be read from another row.
"""

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Mapping
from hashlib import blake2b
from os import urandom
from typing import NamedTuple

_NONCE_BYTES = 12
PREFIX = "sealed:"
"""How every sealed text begins, and no other secret."""

MIN_KEY_LENGTH = 32
"""The minimum number of characters of a key; they must be random."""


class Unreadable(Exception):
    """A sealed text was changed, or stands in another place than the one it was sealed for."""


class Key(NamedTuple):
    """A key, and the id by which texts and databases name it, which says nothing about the key."""

    id: str
    secret: bytes


class Place(NamedTuple):
    """Where a sealed text is stored: the table, the column, and the row by the values of its key."""

    table: str
    column: str
    row: tuple[int | str, ...]

    @property
    def as_bytes(self) -> bytes:
        """Return the place as bytes that no other place has."""
        return "\0".join(map(str, (self.table, self.column, *self.row))).encode()


def read_key(text: str) -> Key:
    """Return the key that a text stands for; raises ValueError if it is too short or has blanks."""
    if len(text) < MIN_KEY_LENGTH or not text.isascii() or not text.isprintable() or " " in text:
        raise ValueError(f"a key has at least {MIN_KEY_LENGTH} ASCII characters and no blanks")
    # The text is random, so it needs no slow hash.
    secret = blake2b(text.encode(), digest_size=32, person=b"skerry: a key").digest()
    return Key(blake2b(text.encode(), digest_size=8, person=b"skerry: its id").hexdigest(), secret)


def seal(key: Key, text: str, place: Place) -> str:
    """Return a text, encrypted for a place."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - few need it

    nonce = urandom(_NONCE_BYTES)
    sealed = AESGCM(key.secret).encrypt(nonce, text.encode(), place.as_bytes)
    return f"{PREFIX}{key.id}:{b64encode(nonce + sealed).decode()}"


def unseal(keys: Mapping[str, Key], sealed: str, place: Place) -> str:
    """Return the text that was sealed for a place.

    Raises KeyError with the id of a key that is missing, Unreadable if the text or its place was changed.
    """
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - few need it
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - few need it

    key = keys[key_id(sealed)]
    try:
        content = b64decode(sealed.rpartition(":")[2], validate=True)
        text = AESGCM(key.secret).decrypt(content[:_NONCE_BYTES], content[_NONCE_BYTES:], place.as_bytes)
    except (Error, InvalidTag, ValueError) as error:
        raise Unreadable(f"A secret in {place.table}.{place.column} was changed or moved") from error
    return text.decode()


def is_sealed(text: str) -> bool:
    """Return whether a stored text is sealed; others were stored before there was a key."""
    return text.startswith(PREFIX)


def key_id(sealed: str) -> str:
    """Return the id of the key of a sealed text."""
    return sealed.split(":", 2)[1]


def beginning(key: str) -> str:
    """Return how all texts begin that a key, given by its id, has sealed."""
    return f"{PREFIX}{key}:"
