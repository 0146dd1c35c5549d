"""Generation, hashing and checking of passwords and tokens."""

import hashlib
import hmac
import secrets
import string
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Iterable
from threading import BoundedSemaphore, Lock

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from skerry.errors import Invalid
from skerry.text import passwords

# The smaller of the argon2id settings that OWASP recommends: 19 MiB, two passes, one lane.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)

# Checked if the login does not exist, so that the response takes the same time.
_NOBODY = _HASHER.hash(secrets.token_hex())

AT_ONCE = 2
"""How many passwords a process hashes at a time: each takes a processor and 19 MiB of memory."""

TURNS = BoundedSemaphore(AT_ONCE)
"""The semaphore that limits how many passwords are hashed or checked at a time."""

MIN_PASSWORD_LENGTH = 12
MIN_LENGTH_WITH_FACTOR = 8
MAX_PASSWORD_LENGTH = 1024


def hash_password(password: str, known: Iterable[str] = (), least: int = MIN_PASSWORD_LENGTH) -> str:
    """Return the argon2id hash of a new password.

    ``known`` are the address and the name of its owner, ``least`` is the number of its characters. Raises
    Invalid if it is too short, too long, or easy to guess.
    """
    password = unicodedata.normalize("NFC", password)
    if len(password) < least:
        raise Invalid(f"Password is too short (at least {least} characters)")
    if len(password) > MAX_PASSWORD_LENGTH:
        raise Invalid(f"Password is too long (at most {MAX_PASSWORD_LENGTH} characters)")
    if reason := passwords.problem(password, known):
        raise Invalid(reason)
    return _HASHER.hash(password)


def is_password(password: str, stored: str) -> bool:
    """Return whether a password matches a stored hash, which may be of another form of its characters."""
    composed = unicodedata.normalize("NFC", password)
    return _is_exactly(composed, stored) or (composed != password and _is_exactly(password, stored))


def _is_exactly(password: str, stored: str) -> bool:
    try:
        return _HASHER.verify(stored, password[: MAX_PASSWORD_LENGTH + 1])
    except (Argon2Error, InvalidHashError):
        return False


def renewed(password: str, stored: str) -> str:
    """Return a hash in place of one of another form of the characters or of other settings; empty if none.

    The password must match the stored hash.
    """
    composed = unicodedata.normalize("NFC", password)
    is_of_another_form = composed != password and not _is_exactly(composed, stored)
    is_old = is_of_another_form or _HASHER.check_needs_rehash(stored)
    return _HASHER.hash(composed) if is_old else ""


def new_password() -> str:
    """Return a random password of 16 letters and digits."""
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(16))


def new_token() -> str:
    """Return a random token of 40 hexadecimal characters."""
    return secrets.token_hex(20)


def hash_token(token: str) -> str:
    """Return the hash under which a token is stored; 160 random bits need no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class PasswordCheck:
    """Checks passwords, and remembers correct ones for some minutes.

    A check takes 20 ms or more, and Basic authentication requires one for every request. The cache holds a
    keyed hash of the password together with the stored hash, so it reveals no password and never matches
    after a change. A second keyed hash, of password and login, allows a look-up before the stored hash is
    read.
    """

    SECONDS = 600.0
    MAX = 20_000

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._right: OrderedDict[bytes, float] = OrderedDict()
        self._lock = Lock()

    def remembers(self, password: str, of: str | None) -> bool:
        """Return whether this password was recently verified for a stored hash or a login."""
        with self._lock:
            until = self._right.get(self._mark(password, of), 0.0)
        return time.monotonic() < until

    def is_right(self, password: str, stored: str | None) -> bool:
        """Check a password; takes the same time without a stored hash."""
        if not is_password(password, stored or _NOBODY) or stored is None:
            return False
        self.remember(password, stored)
        return True

    def remember(self, password: str, of: str) -> None:
        """Cache for some minutes that this password is right for a stored hash or a login."""
        mark = self._mark(password, of)
        with self._lock:
            self._right[mark] = time.monotonic() + self.SECONDS
            self._right.move_to_end(mark)
            while len(self._right) > self.MAX:
                self._right.popitem(last=False)

    def forget(self, password: str, of: str) -> None:
        """Remove a password from the cache."""
        with self._lock:
            self._right.pop(self._mark(password, of), None)

    def _mark(self, password: str, of: str | None) -> bytes:
        message = f"{of}\0{password}".encode("utf-8", "replace")
        return hmac.digest(self._key, message, "sha256")
