"""Signed mail addresses for replying to a ticket, or opening one in a project.

``reply+CODE@host`` is the ``Reply-To`` of a mail to one person about one ticket, and ``project+CODE@host`` is
the address of a project. The code contains the target and a keyed hash of it, so addresses cannot be forged
or changed into others. Codes consist of lowercase letters and digits, and are not case-sensitive.

The key is a secret of the account. After it is renewed, addresses signed with the previous key remain valid;
older ones do not.
"""

import hmac
import re
from base64 import b32decode, b32encode
from binascii import Error
from collections.abc import Iterable
from typing import NamedTuple

from skerry.database.transactions import Transaction
from skerry.store import accounts

REPLY, PROJECT = "reply", "project"

_MAC_BYTES = 10
_ADDRESS = re.compile(rf"({REPLY}|{PROJECT})\+([a-z2-7]{{16,58}})@", re.IGNORECASE)
_SECRET_LINK = re.compile(
    r"(://[^\s/]{1,250}(?:/[^\s/]{1,100}){0,5}"
    r"/(?:unsubscribe|welcome|set-up|sign-up|verification|password-reset|feeds)/)"
    r"[\w.~=-]{8,200}",
    re.IGNORECASE,
)
_MAX_NUMBER = 1 << 62


class AddressTarget(NamedTuple):
    """The target of a signed address; for the address of a project, ``number`` and ``user_id`` are 0.

    ``code`` is the code of the address, for ``is_genuine`` to check.
    """

    account_id: int
    project_id: int
    number: int
    user_id: int
    code: str

    @property
    def kind(self) -> str:
        """Return the kind of the address."""
        return REPLY if self.number else PROJECT


def reply_address(transaction: Transaction, project_id: int, number: int, user_id: int, host: str) -> str:
    """Return the address for replies to a ticket; empty without a host."""
    return _address(transaction, REPLY, (project_id, number, user_id), host)


def project_address(transaction: Transaction, project_id: int, host: str) -> str:
    """Return the address that opens tickets in a project; empty without a host."""
    return _address(transaction, PROJECT, (project_id,), host)


def _address(transaction: Transaction, kind: str, ids: Iterable[int], host: str) -> str:
    if not host:
        return ""
    secret, *_ = accounts.mail_secrets(transaction)
    packed = b"".join(map(_packed, (transaction.account_id, *ids)))
    return f"{kind}+{_encoded(packed + _mac(secret, kind, packed))}@{host}"


def targets(addresses: Iterable[str]) -> list[AddressTarget]:
    """Return the targets of the signed addresses among some addresses, without checking signatures."""
    matches = (_ADDRESS.match(address) for address in addresses)
    read = (_target(match[1].lower(), match[2].lower()) for match in matches if match)
    return list(dict.fromkeys(target for target in read if target))


def masked(text: str) -> str:
    """Return a text with the codes of reply addresses and of links masked, which quoted mail contains."""
    without_links = _SECRET_LINK.sub(r"\1…", text)
    return _ADDRESS.sub(
        lambda match: match[0] if match[1].lower() == PROJECT else f"{REPLY}+…@", without_links
    )


def _target(kind: str, code: str) -> AddressTarget | None:
    ids = _unpacked(_decoded(code)[:-_MAC_BYTES])
    if kind == REPLY and len(ids) == 4:  # noqa: PLR2004 - account, project, ticket and person
        return AddressTarget(ids[0], ids[1], ids[2], ids[3], code) if ids[2] else None
    if kind == PROJECT and len(ids) == 2:  # noqa: PLR2004 - account and project
        return AddressTarget(ids[0], ids[1], 0, 0, code)
    return None


def is_genuine(transaction: Transaction, target: AddressTarget) -> bool:
    """Return whether an address was signed by the transaction's account."""
    whole = _decoded(target.code)
    packed, mac = whole[:-_MAC_BYTES], whole[-_MAC_BYTES:]
    if target.account_id != transaction.account_id:
        return False
    if _encoded(whole) != target.code:
        return False  # the last letter has unused bits
    macs = (_mac(secret, target.kind, packed) for secret in accounts.mail_secrets(transaction))
    return any(hmac.compare_digest(mac, each) for each in macs)


def _mac(secret: str, kind: str, packed: bytes) -> bytes:
    return hmac.digest(bytes.fromhex(secret), kind.encode() + b"\0" + packed, "sha256")[:_MAC_BYTES]


def _encoded(content: bytes) -> str:
    return b32encode(content).decode().rstrip("=").lower()


def _decoded(code: str) -> bytes:
    try:
        return b32decode(code.upper() + "=" * (-len(code) % 8))
    except Error:
        return b""


def _packed(value: int) -> bytes:
    """Return a number as a varint: seven bits per byte, and one that says whether more follow."""
    packed = bytearray()
    while value >= 128:  # noqa: PLR2004 - the maximum of seven bits
        packed.append(value % 128 + 128)
        value //= 128
    return bytes([*packed, value])


def _unpacked(content: bytes) -> list[int]:
    """Return the numbers in packed bytes; an empty list for invalid input."""
    numbers: list[int] = []
    value = shift = 0
    for byte in content:
        value += (byte % 128) << shift
        shift += 7
        if byte < 128:  # noqa: PLR2004 - the last byte of a number
            numbers.append(value)
            value = shift = 0
    return numbers if shift == 0 and all(each < _MAX_NUMBER for each in numbers) else []
