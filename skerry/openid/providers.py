"""Providers: what they say about themselves, and the steps of a sign-in with one."""

import asyncio
import base64
import hmac
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from skerry.oidc_settings import ProviderSettings, is_safe
from skerry.openid import id_tokens, transport
from skerry.openid.answers import Answer, ProviderDown, Refused
from skerry.openid.attempts import Attempt
from skerry.openid.id_tokens import Expected, UnknownKey

LIFETIME = 3600.0
"""For how many seconds a provider's description and keys are kept."""

PAUSE = 30.0
"""How many seconds pass before keys are read again because a token names another one."""

_PROOFS = ("email_verified", "xms_edov")
"""The claims that say that an address is verified; the first one that is there decides."""

_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


@dataclass
class _Kept:
    value: Any = None
    since: float = float("-inf")


class Provider:
    """A provider; there is one in each process, which keeps its description and keys for an hour."""

    def __init__(self, settings: ProviderSettings, clock: Callable[[], float] = time.monotonic) -> None:
        """Create the provider; nothing is asked yet."""
        self.settings = settings
        self._clock = clock
        self._described, self._keys = _Kept(), _Kept()
        self._lock = asyncio.Lock()
        self._failed, self._problem = float("-inf"), ""

    async def description(self) -> dict[str, Any]:
        """Return what the provider says about itself; raises ProviderDown."""
        async with self._alone():
            return await self._description()

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        """Admit one request at a time; those that waited meanwhile share its failure."""
        since = self._clock()
        async with self._lock:
            if self._failed >= since:
                raise ProviderDown(self._problem)
            try:
                yield
            except ProviderDown as error:
                self._failed, self._problem = self._clock(), str(error)
                raise

    async def _description(self) -> dict[str, Any]:
        if self._clock() - self._described.since > LIFETIME:
            place = f"{self.settings.issuer.rstrip('/')}/.well-known/openid-configuration"
            found = await transport.fetch("GET", place)
            _check_description(found, self.settings.issuer)
            self._described = _Kept(found, self._clock())
        described: dict[str, Any] = self._described.value
        return described

    async def keys(self, *, fresh: bool = False) -> list[Any]:
        """Return the provider's keys; with ``fresh``, read them again unless that was just done."""
        async with self._alone():
            if self._clock() - self._keys.since > (PAUSE if fresh else LIFETIME):
                document = await transport.fetch("GET", (await self._description())["jwks_uri"])
                self._keys = _Kept(id_tokens.keys_in(document), self._clock())
            found: list[Any] = self._keys.value
            return found

    async def address(self, attempt: Attempt, redirect: str, prompt: str = "") -> str:
        """Return the address at which a person signs in; raises ProviderDown.

        ``prompt`` is what the provider asks of somebody who is signed in there already.
        """
        described = await self.description()
        asked = {
            "response_type": "code",
            "client_id": self.settings.client_id,
            "redirect_uri": redirect,
            "scope": self.settings.scopes,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": attempt.challenge,
            "code_challenge_method": "S256",
        }
        if prompt:
            asked["prompt"] = prompt
        if attempt.again:
            asked |= {"max_age": "0", "prompt": "login"}
        endpoint: str = described["authorization_endpoint"]
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    async def leaving(self, id_token: str, back: str) -> str:
        """Return the address at which a person signs out; empty if there is none. Raises ProviderDown."""
        endpoint = (await self.description()).get("end_session_endpoint")
        if not isinstance(endpoint, str) or not is_safe(endpoint):
            return ""
        asked = {"client_id": self.settings.client_id, "post_logout_redirect_uri": back}
        if id_token:
            asked["id_token_hint"] = id_token
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    async def answered(self, attempt: Attempt, given: Mapping[str, str], redirect: str, now: int) -> Answer:
        """Return who came back from the provider; raises ProviderDown or Refused."""
        await self._check_return(attempt, given)
        tokens = await self._exchange(given.get("code", ""), attempt, redirect)
        since = attempt.since if attempt.again else None
        expected = Expected(self.settings.issuer, self.settings.client_id, attempt.nonce, since)
        token = tokens.get("id_token")
        try:
            claims = id_tokens.verified(token, await self.keys(), expected, now)
        except UnknownKey:
            claims = id_tokens.verified(token, await self.keys(fresh=True), expected, now)
        return self._answer(await self._completed(claims, tokens), str(token))

    async def _check_return(self, attempt: Attempt, given: Mapping[str, str]) -> None:
        """Raise Refused unless the browser comes from this provider, for this attempt (RFC 9207)."""
        described = await self.description()
        if not hmac.compare_digest(given.get("state", "").encode(), attempt.state.encode()):
            raise Refused("The state is of another sign-in")
        issuer = given.get("iss")
        is_promised = described.get("authorization_response_iss_parameter_supported") is True
        if (issuer is None and is_promised) or (issuer is not None and issuer != self.settings.issuer):
            raise Refused("The answer is of another provider")

    async def _exchange(self, code: str, attempt: Attempt, redirect: str) -> dict[str, Any]:
        if not code:
            raise Refused("The provider sent no code")
        described, settings = await self.description(), self.settings
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect,
            "code_verifier": attempt.verifier,
        }
        headers = {}
        ways = described.get("token_endpoint_auth_methods_supported")
        is_in_header = not (ways and isinstance(ways, list)) or "client_secret_basic" in ways
        if settings.client_secret and is_in_header:
            headers["Authorization"] = _basic(settings.client_id, settings.client_secret)
        elif settings.client_secret:
            form |= {"client_id": settings.client_id, "client_secret": settings.client_secret}
        else:
            form["client_id"] = settings.client_id
        try:
            return await transport.fetch("POST", described["token_endpoint"], data=form, headers=headers)
        except transport.Rejected as error:
            if error.code == "invalid_grant":
                raise Refused("The provider does not accept the code") from error
            raise

    async def _completed(self, claims: dict[str, Any], tokens: dict[str, Any]) -> dict[str, Any]:
        """Return the claims with those that only the provider's list about the person has."""
        needed = {"email"} | ({self.settings.groups_claim} if self.settings.roles else set())
        place, access = (await self.description()).get("userinfo_endpoint"), tokens.get("access_token")
        is_complete = needed <= claims.keys() and any(name in claims for name in _PROOFS)
        if is_complete or not isinstance(access, str) or not isinstance(place, str):
            return claims
        if not is_safe(place) or not access.isascii() or not access.isprintable():
            return claims
        more = await transport.fetch("GET", place, headers={"Authorization": f"Bearer {access}"})
        if more.get("sub") != claims["sub"]:
            raise Refused("The provider's list is about somebody else")
        if "email" in claims and claims["email"] != more.get("email"):
            # What it says of one address proves nothing about another.
            more = {name: value for name, value in more.items() if name not in _PROOFS}
        return {**more, **claims}

    def _answer(self, claims: dict[str, Any], token: str) -> Answer:
        email, name = claims.get("email"), claims.get("name") or claims.get("preferred_username")
        groups = claims.get(self.settings.groups_claim)
        groups = groups if isinstance(groups, list | str) else ()
        return Answer(
            subject=claims["sub"],
            email=_address(email) if _is_verified(claims) else "",
            name=name if isinstance(name, str) else "",
            groups=tuple(map(str, [groups] if isinstance(groups, str) else groups or ())),
            id_token=token,
            since=id_tokens.authenticated_at(claims),
        )


def _address(email: object) -> str:
    """Return an address, empty for a text that cannot be stored, such as half of a pair of surrogates."""
    text = email.strip() if isinstance(email, str) else ""
    return text if text.isprintable() else ""


def _is_verified(claims: dict[str, Any]) -> bool:
    """Return whether the provider has verified the address; Entra says so of the owner of its domain."""
    said = [claims[name] for name in _PROOFS if name in claims]
    return bool(said) and said[0] in (True, "true", "1")


def _basic(client_id: str, secret: str) -> str:
    """Return the header of a client, whose name and secret are quoted first (RFC 6749, 2.3.1)."""
    pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _check_description(found: dict[str, Any], issuer: str) -> None:
    if found.get("issuer") != issuer:
        raise ProviderDown(f"It calls itself {str(found.get('issuer'))[:200]!r}, not {issuer!r}")
    for name in _ENDPOINTS:
        place = found.get(name)
        if not isinstance(place, str) or not is_safe(place):
            raise ProviderDown(f"Its {name} is not an https address")


def count_keys(settings: ProviderSettings) -> int:
    """Return how many usable keys a provider has; raises ProviderDown if nobody can sign in with it."""

    async def ask() -> int:
        return len(await Provider(settings).keys())

    count = asyncio.run(ask())
    if not count:
        raise ProviderDown("It lists no key with which it could sign")
    return count
