"""Tokens for programs on the caller's machine, which ask for them through the browser.

The page adds a token that nobody can use yet, and the browser takes a code for it to a port of the machine.
Only the program that asked can exchange the code: it alone knows the verifier (RFC 7636, RFC 8252).
"""

import hashlib
import re
from base64 import urlsafe_b64encode
from dataclasses import replace

from skerry.database.rows import timestamp
from skerry.database.transactions import DAY, HOUR, Transaction
from skerry.errors import Invalid, NotFound
from skerry.resources.auth import Token, TokenProof, TokenRequest
from skerry.store.auth import tokens as store
from skerry.tracker import secrets
from skerry.tracker.auth import tokens
from skerry.tracker.context import Context, Params
from skerry.wire.record import changed

GONE = "This code was already used or has expired. Ask again"

_DAYS = 365
_LIFETIME = HOUR // 12
_PORTS = range(1024, 65536)
_STATE = re.compile(r"[A-Za-z0-9_-]{16,128}")
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")


def create(context: Context, params: Params) -> TokenRequest:
    """Add a token that its code stands for, and return the code; raises Invalid."""
    new = params.draft_of(TokenRequest).new
    if problems := _problems(new):
        raise Invalid(problems)
    days = lifetime(context.transaction)
    draft = {"note": new.note, "read_only": new.read_only, "days": days}
    made = tokens.create(context, replace(params, draft=draft))
    code, end = secrets.new_token(), context.transaction.now + _LIFETIME
    # From now on the code stands for the token, and its value is nowhere.
    store.exchange(context.transaction, secrets.hash_token(made.token), hash_of(code, new.challenge), end)
    return changed(new, code=code, expires_at=timestamp(end))


def lifetime(transaction: Transaction) -> int:
    """Return for how many days such a token is valid: at most a year."""
    return min(transaction.lifetimes.token_days or _DAYS, _DAYS)


def is_valid(asked: TokenRequest) -> bool:
    """Return whether a program that asks like this can be answered."""
    return not _problems(asked)


def _problems(asked: TokenRequest) -> list[str]:
    checks = (
        (asked.port in _PORTS, "Port must be a whole number from 1024 to 65535"),
        (_STATE.fullmatch(asked.state), "State must have 16 to 128 letters, digits, - or _"),
        (
            _CHALLENGE.fullmatch(asked.challenge),
            "Challenge must be a SHA-256 hash in base64url (43 characters)",
        ),
    )
    return [sentence for holds, sentence in checks if not holds]


def exchange(context: Context, params: Params) -> Token:
    """Return the token of a code, which works once, to the program that knows the verifier.

    Raises NotFound for anybody else.
    """
    verifier = params.draft_of(TokenProof).new.verifier
    digest = hashlib.sha256(verifier.encode("utf-8", "replace")).digest()
    challenge = urlsafe_b64encode(digest).decode().rstrip("=")
    value, transaction = secrets.new_token(), context.transaction
    hashes = hash_of(params.texts["code"], challenge), secrets.hash_token(value)
    if not store.exchange(transaction, *hashes, transaction.now + lifetime(transaction) * DAY):
        raise NotFound(GONE)
    return tokens.with_value(context, value)


def hash_of(code: str, challenge: str) -> str:
    """Return the hash under which a token waits for its code, which is that of no token."""
    return f"code:{secrets.hash_token(f'{code}.{challenge}')}"
