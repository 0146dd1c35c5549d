"""ID tokens: whether a provider signed one, for whom, and for which sign-in."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from joserfc import jwk, jws, jwt
from joserfc.errors import JoseError

from skerry.openid.answers import NotAgain, Refused

ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "Ed25519",
    "EdDSA",
)
"""The signatures that are accepted: those of key pairs, whose secret half only the provider has."""

MAX_LENGTH = 16 * 1024
"""The maximum length of an ID token."""

LEEWAY = 60
"""By how many seconds the provider's clock may differ."""

MAX_KEYS = 100

_LATEST = 1 << 40
_KINDS = ("RSA", "EC", "OKP")


@dataclass(frozen=True)
class Expected:
    """What an ID token must say; ``since`` is the time after which the person gave their password, if any."""

    issuer: str
    client_id: str
    nonce: str
    since: int | None = None


class UnknownKey(Refused):
    """The token is signed with a key that the provider's list does not have; it may have a new one."""


def keys_in(document: dict[str, Any]) -> list[jwk.Key]:
    """Return the usable keys of a provider's list; others are left out."""
    listed = document.get("keys")
    found = []
    for each in listed[:MAX_KEYS] if isinstance(listed, list) else ():
        if not isinstance(each, dict) or each.get("kty") not in _KINDS or each.get("use", "sig") != "sig":
            continue
        try:
            found.append(jwk.import_key(each))
        except (JoseError, ValueError, TypeError, KeyError):
            continue
    return found


def verified(token: object, keys: Sequence[jwk.Key], expected: Expected, now: int) -> dict[str, Any]:
    """Return the claims of an ID token; raises Refused, or UnknownKey if the keys should be read again."""
    if not isinstance(token, str) or not token or len(token) > MAX_LENGTH:
        raise Refused("The ID token is missing or too long")
    try:
        claims = jwt.decode(token, _key_of(token, keys), algorithms=ALGORITHMS).claims
        times = {name: {"essential": True} for name in ("exp", "iat", "sub", "iss", "aud")}
        jwt.JWTClaimsRegistry(now, LEEWAY, **times).validate(claims)  # type: ignore[arg-type]
    except (JoseError, ValueError, TypeError, RecursionError) as error:
        raise Refused(f"The ID token is not valid: {type(error).__name__}") from error
    _check(claims, expected)
    return claims


def _key_of(token: str, keys: Sequence[jwk.Key]) -> jwk.Key:
    """Return the key that a token names, or the only one that fits if it names none."""
    header = jws.extract_compact(token.encode()).protected
    algorithm, kid = header.get("alg"), header.get("kid")
    if algorithm not in ALGORITHMS:
        raise Refused("The ID token is not signed with a key pair")
    fitting = [key for key in keys if key.get("alg", algorithm) == algorithm]
    if kid is not None:
        fitting = [key for key in fitting if key.get("kid") == kid]
    if len(fitting) != 1:
        raise UnknownKey("The ID token is signed with a key that the provider does not list")
    return fitting[0]


def _check(claims: dict[str, Any], expected: Expected) -> None:
    """Raise Refused unless the claims are about the expected sign-in."""
    audience, party = claims["aud"], claims.get("azp")
    audiences = audience if isinstance(audience, list) else [audience]
    subject, nonce = claims["sub"], claims.get("nonce")
    if claims["iss"] != expected.issuer:
        raise Refused("The ID token is of another issuer")
    if expected.client_id not in audiences or (party is None and len(audiences) > 1):
        raise Refused("The ID token is for another client")
    if party is not None and party != expected.client_id:
        raise Refused("The ID token is for another party")
    if not isinstance(nonce, str) or not hmac.compare_digest(
        nonce.encode("utf-8", "replace"), expected.nonce.encode()
    ):
        raise Refused("The ID token is of another sign-in")
    if not subject or len(subject) > 255 or not subject.isprintable():  # noqa: PLR2004 - the specification's
        raise Refused("The ID token has no usable subject")
    if expected.since is not None and authenticated_at(claims) < expected.since - LEEWAY:
        raise NotAgain("The person did not give their password again, or the provider does not say so")


def authenticated_at(claims: dict[str, Any]) -> int:
    """Return when the person gave their password, 0 if the provider does not say."""
    when = claims.get("auth_time")
    is_known = isinstance(when, int | float) and not isinstance(when, bool) and 0 < when < _LATEST
    return int(when) if is_known else 0  # type: ignore[arg-type]
