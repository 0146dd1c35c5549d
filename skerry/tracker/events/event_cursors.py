"""Cursors: positions in the events of an account.

For members a cursor is a plain number. To others, numbers would reveal how much happens where they have no
access, so their cursors are encrypted, differently each time.
"""

import base64
import hmac
import secrets
from binascii import Error as Malformed
from dataclasses import dataclass

from skerry.errors import Gone, Invalid
from skerry.store.events.event_reading import EventRange

NOW = "now"
"""The cursor after the last event."""

_NONCE, _NUMBER, _SEAL = 12, 8, 12
_UNREADABLE = "After must be the number of an event, 0 or now"
_SEALED_ONLY = "After must be a cursor from here, 0 or now"


@dataclass(frozen=True)
class Cursors:
    """The cursors of one reader; members are ``inside``. ``key`` is the account's secret key."""

    key: bytes
    inside: bool

    def write(self, number: int) -> str:
        """Return the cursor after the event with a number."""
        return str(number) if self.inside else _sealed(self.key, number)

    def read(self, after: str | None, reach: EventRange) -> int:
        """Return the event number in the cursor ``after``, from which to continue.

        Without a cursor that is the number before the oldest event kept. Raises Invalid for an invalid
        cursor, Gone if events after it are no longer kept, or if it comes from a database that was replaced
        by a backup.
        """
        if after == NOW:
            return reach.last
        if not after or (after == "0" and not self.inside):
            return reach.forgotten
        number = self._number(after)
        if reach.forgotten <= number <= reach.last:
            return number
        if not self.inside:
            raise Gone("Events after this cursor are no longer kept; start again without after")
        oldest = reach.forgotten + 1
        if number > reach.last:
            raise Gone(
                f"There is no event {number}; the oldest is {oldest} and the last {reach.last}", oldest
            )
        raise Gone(f"Events after {number} are no longer kept; the oldest is {oldest}", oldest)

    def _number(self, after: str) -> int:
        if after.isascii() and after.isdigit():
            if not self.inside:
                raise Invalid(_SEALED_ONLY)
            # Python refuses to parse thousands of digits; event numbers have at most eighteen.
            return int(after.lstrip("0")[:19] or "0")
        number = _opened(self.key, after)
        if number is None:
            raise Invalid(_UNREADABLE if self.inside else _SEALED_ONLY)
        return number


def _sealed(key: bytes, number: int) -> str:
    nonce = secrets.token_bytes(_NONCE)
    covered = nonce + _masked(key, nonce, number.to_bytes(_NUMBER))
    return base64.urlsafe_b64encode(covered + _seal(key, covered)).decode().rstrip("=")


def _opened(key: bytes, text: str) -> int | None:
    """Return the number in an encrypted cursor, or None if it was not encrypted with the key."""
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (Malformed, ValueError):
        return None
    covered, seal = data[:-_SEAL], data[-_SEAL:]
    if len(covered) != _NONCE + _NUMBER or not hmac.compare_digest(seal, _seal(key, covered)):
        return None
    return int.from_bytes(_masked(key, covered[:_NONCE], covered[_NONCE:]))


def _masked(key: bytes, nonce: bytes, number: bytes) -> bytes:
    """Return a number XORed with pseudo-random bytes derived from the nonce, to encrypt or decrypt it."""
    mask = hmac.digest(key, b"mask" + nonce, "sha256")
    return bytes(left ^ right for left, right in zip(number, mask, strict=False))


def _seal(key: bytes, covered: bytes) -> bytes:
    return hmac.digest(key, b"seal" + covered, "sha256")[:_SEAL]
