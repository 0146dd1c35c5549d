"""The keys of an installation: those of a setting, or of a file in the data folder."""

import os
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from skerry.errors import Conflict, SecretUnreadable
from skerry.filesystem import fsync
from skerry.sealing import sealed_texts
from skerry.sealing.sealed_texts import Key, Place, Unreadable, read_key

FILE_NAME = "secret.key"
"""The file in the data folder with the keys, one a line, if no setting has them."""

SETTING = "SKERRY_SECRET_KEY"

_ONLY_OWNER = 0o600


def keys_in(setting: str) -> list[Key]:
    """Return the keys of the setting, separated by commas; raises ValueError for an invalid one."""
    return [read_key(part.strip()) for part in setting.split(",") if part.strip()]


def new_key() -> str:
    """Return a new key as text."""
    return secrets.token_hex(32)


class KeyRing:
    """Keys by their ids; the first one encrypts what is new, the others only read.

    A ring without a setting and a folder has no keys: what it seals stays as it is. The file is read when a
    key is needed, and again for an unknown one, because a command may have renewed the key meanwhile.
    """

    def __init__(self, setting: str = "", folder: Path | None = None) -> None:
        """Create a ring from the setting, and the folder in which the file is or will be."""
        self._setting = setting
        self.file = folder / FILE_NAME if folder else None
        self._keys: dict[str, Key] = {}

    @property
    def can_seal(self) -> bool:
        """Return whether there is a key, or a place to keep one."""
        return bool(self._setting or self.file)

    @property
    def is_in_file(self) -> bool:
        """Return whether the file has the first key, because there is no setting."""
        return not self._setting

    def ids(self) -> list[str]:
        """Return the ids of all keys, that of the first one first."""
        self._keys = {key.id: key for key in (*keys_in(self._setting), *self._in_file())}
        return list(self._keys)

    def key(self, key_id: str) -> Key:
        """Return a key; raises SecretUnreadable if it is missing."""
        if key_id not in self._keys:
            self.ids()
        try:
            return self._keys[key_id]
        except KeyError as error:
            raise SecretUnreadable from error

    def first(self) -> Key:
        """Return the key for what is new; it is created if there is none at all."""
        if not self.ids() and self.file:
            _create(self.file)
        key_id, *_ = self.ids()
        return self.key(key_id)

    def seal(self, key_id: str, text: str, place: Place) -> str:
        """Return a text, encrypted with a key for a place; raises SecretUnreadable if the key is missing."""
        return sealed_texts.seal(self.key(key_id), text, place)

    def unseal(self, stored: str, place: Place) -> str:
        """Return a stored text, decrypted if it is sealed.

        Raises SecretUnreadable if its key is missing, or if it was changed.
        """
        if not sealed_texts.is_sealed(stored):
            return stored
        key = self.key(sealed_texts.key_id(stored))
        try:
            return sealed_texts.unseal({key.id: key}, stored, place)
        except Unreadable as error:
            raise SecretUnreadable(SecretUnreadable.changed) from error

    def replace_file(self, texts: Iterable[str]) -> None:
        """Replace the file atomically, such that it has these keys."""
        if self.file is None:
            raise ValueError("There is no place for a file of keys")
        part = _written(self.file, "".join(f"{text}\n" for text in texts))
        part.replace(self.file)
        fsync(self.file.parent)

    def texts_in_file(self) -> list[str]:
        """Return the keys of the file as text; none if it does not exist."""
        try:
            return self.file.read_text("ascii", "replace").split() if self.file else []
        except FileNotFoundError:
            return []

    def _in_file(self) -> list[Key]:
        try:
            return [read_key(text) for text in self.texts_in_file()]
        except ValueError as error:
            raise SecretUnreadable(f"{self.file} cannot be used: {error}") from error


def _create(file: Path) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = _written(file, f"{new_key()}\n")
    try:
        # Unlike a renaming, this fails if another process was quicker; then its key counts.
        with suppress(FileExistsError):
            os.link(part, file)
    finally:
        part.unlink()
    fsync(file.parent)


def check_private(keys: KeyRing) -> None:
    """Raise Conflict if others than the owner of the file of keys can use it."""
    if keys.file and stat.S_IMODE(keys.file.stat().st_mode) & ~_ONLY_OWNER:
        raise Conflict(f"Others can read {keys.file}, which has the key of secrets; run 'chmod 600' on it")


def _written(file: Path, content: str) -> Path:
    part = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_OWNER), "w") as opened:
        opened.write(content)
    fsync(part)
    return part
