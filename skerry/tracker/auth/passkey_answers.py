"""What authenticators answer, checked by ``webauthn``, which is loaded with the first answer.

Everything in an answer comes from outside. Whatever is wrong with it, even what the library did not expect,
is a ``BadAnswer`` with a sentence for the person who sent it.
"""

import base64
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from skerry.errors import NotFound
from skerry.store.auth.passkeys import NewPasskey, StoredPasskey

MAX_LENGTH = 16 * 1024
"""The maximum length of an answer, in characters."""

_MAX_KEY = 1024
_CREDENTIAL = re.compile(r"[A-Za-z0-9_-]{1,1364}")
_STANDARD_PORTS = {"https": 443, "http": 80}

REFUSED = "This passkey was not accepted. Try again, or sign in in another way"
UNVERIFIED = (
    "The passkey did not check that it is you. Set a PIN, a fingerprint or your face for it, then try again"
)
COPIED = (
    "This passkey was used elsewhere meanwhile, as if somebody had copied it. Sign in in another way, and "
    "remove it in your profile"
)
NO_NAME = "Passkeys need a name in the address of this site, not a number such as 127.0.0.1"


class BadAnswer(Exception):
    """An answer is not what it should be; the text is for the person who sent it."""


class Party(NamedTuple):
    """Whom passkeys are for: the host, and the origins of its pages."""

    host: str
    origins: list[str]


class Use(NamedTuple):
    """What an authenticator says when a passkey is used; ``handle`` is whom it was made for."""

    counter: int
    backed_up: bool
    handle: bytes


@dataclass(frozen=True)
class Answer:
    """An answer as it was read, before anything in it is believed."""

    fields: dict[str, Any]
    credential: str
    challenge: bytes


def party_at(base: str) -> Party:
    """Return whom passkeys are for at a base URL; raises NotFound if it has an address instead of a name.

    Browsers have passkeys only with TLS or on the same machine, so the scheme that a proxy may not have told
    does not matter.
    """
    parts = urlsplit(base)
    host = (parts.hostname or "").lower()
    if not host or _is_address(host):
        raise NotFound(NO_NAME)
    port = "" if parts.port in (None, _STANDARD_PORTS.get(parts.scheme)) else f":{parts.port}"
    is_local = host == "localhost" or host.endswith(".localhost")
    schemes = ("https", "http") if is_local else ("https",)
    return Party(host, [f"{scheme}://{host}{port}" for scheme in schemes])


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@contextmanager
def _guarded() -> Iterator[None]:
    """Turn whatever goes wrong while an answer is read into BadAnswer."""
    try:
        yield
    except BadAnswer:
        raise
    except Exception as error:
        # The library raises errors of many kinds for what anybody may send.
        raise BadAnswer(REFUSED) from error


def read(text: str) -> Answer:
    """Return an answer as it was sent; raises BadAnswer."""
    with _guarded():
        fields: Any = json.loads(text) if len(text) <= MAX_LENGTH else None
        credential = fields["id"]
        if not _CREDENTIAL.fullmatch(credential):
            raise BadAnswer(REFUSED)
        client = json.loads(_decoded(fields["response"]["clientDataJSON"]))
        if client.get("crossOrigin"):
            raise BadAnswer(REFUSED)
        return Answer(fields, credential, _decoded(client["challenge"]))


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(f"{text}==")


def used(answer: Answer, party: Party, kept: StoredPasskey) -> Use:
    """Return what a passkey says when it is used; raises BadAnswer."""
    from webauthn import base64url_to_bytes, verify_authentication_response  # noqa: PLC0415 - needs memory

    with _guarded():
        verified = verify_authentication_response(
            credential=answer.fields,
            expected_challenge=answer.challenge,
            expected_rp_id=party.host,
            expected_origin=party.origins,
            credential_public_key=base64url_to_bytes(kept.public_key),
            # Compared below, once the signature is known to be right.
            credential_current_sign_count=0,
        )
        if not verified.user_verified:
            raise BadAnswer(UNVERIFIED)
        if max(verified.new_sign_count, kept.counter) and verified.new_sign_count <= kept.counter:
            raise BadAnswer(COPIED)
        return Use(
            verified.new_sign_count,
            verified.credential_backed_up,
            _decoded(answer.fields["response"]["userHandle"]),
        )


def made(answer: Answer, party: Party) -> NewPasskey:
    """Return a passkey that an authenticator has made; raises BadAnswer."""
    from webauthn import verify_registration_response  # noqa: PLC0415 - needs memory
    from webauthn.helpers import (  # noqa: PLC0415 - as above
        bytes_to_base64url,
        decode_credential_public_key,
        decoded_public_key_to_cryptography,
        parse_registration_credential_json,
    )

    with _guarded():
        verified = verify_registration_response(
            credential=answer.fields,
            expected_challenge=answer.challenge,
            expected_rp_id=party.host,
            expected_origin=party.origins,
        )
        if not verified.user_verified:
            raise BadAnswer(UNVERIFIED)
        key = verified.credential_public_key
        credential = bytes_to_base64url(verified.credential_id)
        if len(key) > _MAX_KEY or credential != answer.credential:
            raise BadAnswer(REFUSED)
        # A key that cannot be used is found now, not at the next sign-in.
        decoded_public_key_to_cryptography(decode_credential_public_key(key))
        transports = parse_registration_credential_json(answer.fields).response.transports or []
        return NewPasskey(
            credential=credential,
            public_key=bytes_to_base64url(key),
            counter=verified.sign_count,
            transports=" ".join(dict.fromkeys(each.value for each in transports)),
            backed_up=verified.credential_backed_up,
        )
