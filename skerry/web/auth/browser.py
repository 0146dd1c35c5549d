"""Identification of browsers by a cookie, and of the site's own forms by a CSRF token."""

import hmac
import re
import secrets
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from falcon.asgi import Request, Response

from skerry.errors import Forbidden, StaleForm
from skerry.web import middleware
from skerry.web.middleware import RequestInfo

FIELDS = ("_csrf", "_key", "_next", "_seen")
"""The additional fields of the site's forms: CSRF token, form key, return path, version seen."""

KEY = re.compile(r"[0-9a-f]{32}")
"""The key that identifies each rendered form."""

STALE_FORM = "This form has expired. Reload the page and send it again"
FOREIGN = "This request came from a page of another site"

_COOKIE = "skerry"
_SECONDS = 400 * 86_400
_SECRET = re.compile(r"[0-9a-f]{40}")
_PROOF = re.compile(r"[0-9a-f]{64}")


def proof_of(secret: str) -> str:
    """Return the CSRF token for a browser's secret.

    It is masked differently each time. A page echoes the search text and is compressed, so otherwise an
    attacker who makes a browser search and sees the sizes of the responses could guess the token.
    """
    mask = secrets.token_bytes(16)
    return (mask + _masked(_bare_proof(secret), mask)).hex()


def _bare_proof(secret: str) -> bytes:
    return hmac.digest(secret.encode(), b"form", "sha256")[:16]


def _masked(proof: bytes, mask: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(proof, mask, strict=True))


def _is_proof(sent: str, secret: str) -> bool:
    if not _PROOF.fullmatch(sent):
        return False
    given = bytes.fromhex(sent)
    return hmac.compare_digest(_masked(given[16:], given[:16]), _bare_proof(secret))


def new_secret() -> str:
    """Return a random secret of 160 bits."""
    return secrets.token_hex(20)


def secret_of(request: Request) -> str:
    """Return the secret of the browser that sends a request; empty if it has none."""
    secret = _value(request, _name(middleware.request_info_of(request)))
    return secret if _SECRET.fullmatch(secret) else ""


def _value(request: Request, name: str) -> str:
    return (request.get_cookie_values(name) or [""])[0]


def remember(request: Request, response: Response, secret: str) -> None:
    """Set a browser's secret in a cookie for the site's own pages."""
    info = middleware.request_info_of(request)
    if not _marks(request):
        _set(info, response, _mark_name(info), mark_of(request, secret), _SECONDS)
    _set(info, response, _name(info), secret, _SECONDS)


def _set(
    info: RequestInfo, response: Response, name: str, value: str, seconds: int, hidden: str = "; HttpOnly"
) -> None:
    cookie = f"{name}={value}; Path=/; Max-Age={seconds}{hidden}; SameSite=Lax"
    response.append_header("Set-Cookie", f"{cookie}; Secure" if is_secure(info) else cookie)


def mark_of(request: Request, secret: str) -> str:
    """Return the mark of the browser, which outlives its sessions; without one, that of its new secret."""
    return next(iter(_marks(request)), hmac.digest(secret.encode(), b"browser", "sha256").hex()[:40])


def _marks(request: Request) -> list[str]:
    values = request.get_cookie_values(_mark_name(middleware.request_info_of(request))) or []
    return [value for value in values if _SECRET.fullmatch(value)]


def _mark_name(info: RequestInfo) -> str:
    return f"{_name(info)}-browser"


def attempt_of(request: Request) -> str:
    """Return what the browser remembers of its attempt to sign in with a provider; empty if it has none."""
    return _value(request, f"{_name(middleware.request_info_of(request))}-attempt")


def remember_attempt(request: Request, response: Response, attempt: str, seconds: int) -> None:
    """Set the attempt to sign in with a provider in a cookie for some seconds; with 0, remove it."""
    _set_briefly(request, response, "attempt", attempt, seconds)


def _set_briefly(request: Request, response: Response, kind: str, value: str, seconds: int) -> None:
    info = middleware.request_info_of(request)
    _set(info, response, f"{_name(info)}-{kind}", value, seconds)


def step_of(request: Request) -> str:
    """Return the secret of what a browser has begun and must finish within minutes; empty without one."""
    secret = _value(request, f"{_name(middleware.request_info_of(request))}-step")
    return secret if _SECRET.fullmatch(secret) else ""


def remember_step(request: Request, response: Response, secret: str, seconds: int) -> None:
    """Set the secret of what the browser has begun in a cookie for some seconds; with 0, remove it."""
    _set_briefly(request, response, "step", secret, seconds)


def mark_accepted(request: Request, response: Response, hidden_fields: Mapping[str, object]) -> None:
    """Set a cookie that tells the page's script which form was accepted, so that it discards the draft."""
    key = hidden_fields.get("_key")
    if isinstance(key, str) and KEY.fullmatch(key):
        prefer(request, response, "taken", key, 86_400)


def prefer(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Set a cookie that is no secret, which scripts may read."""
    info = middleware.request_info_of(request)
    _set(info, response, preference_name(info, name), value, seconds, hidden="")


def preference(request: Request, name: str) -> str:
    """Return what such a cookie says; empty if the browser has none."""
    return _value(request, preference_name(middleware.request_info_of(request), name))


def preference_name(info: RequestInfo, name: str) -> str:
    """Return the name of a cookie that is no secret, with the beginning that keeps other hosts from it."""
    return f"{_name(info)}-{name}"


def _name(info: RequestInfo) -> str:
    # Browsers accept such a cookie only over TLS, and without a path only from the host itself.
    if not is_secure(info):
        return _COOKIE
    return f"__Secure-{_COOKIE}" if info.prefix else f"__Host-{_COOKIE}"


def is_secure(info: RequestInfo) -> bool:
    """Return whether the browser uses TLS."""
    return info.base.startswith("https:")


def check_proof(request: Request, fields: Mapping[str, object], secret: str) -> None:
    """Raise Forbidden unless the request has a valid CSRF token of this browser."""
    sent = fields.get("_csrf") or request.get_header("X-CSRF-Token") or ""
    if not secret or not _is_proof(str(sent), secret):
        raise Forbidden(STALE_FORM)


def check_form(request: Request, hidden_fields: Mapping[str, object], *, in_page: bool) -> None:
    """Raise Forbidden unless the site's own page sent the form, StaleForm if the user has signed in since."""
    try:
        check_proof(request, hidden_fields, secret_of(request))
    except Forbidden as failure:
        raise (StaleForm() if in_page else failure) from failure


def check_origin(request: Request, shared: frozenset[str]) -> None:
    """Raise Forbidden for a change that is requested by a page of another site.

    Programs send no origin; browsers always do. ``shared`` are the origins that are allowed, ``*`` for all.
    """
    origin = request.get_header("Origin")
    if shared & {origin, "*"}:
        return
    info = middleware.request_info_of(request)
    fetched = request.get_header("Sec-Fetch-Site")
    if fetched in ("cross-site", "same-site") or (origin and not _is_own(origin, info)):
        raise Forbidden(FOREIGN)


def _is_own(origin: str, info: RequestInfo) -> bool:
    # Behind a proxy that does not forward the scheme, only the scheme may differ from the browser's.
    return origin.partition("://")[2].lower() == urlsplit(info.base).netloc.lower()


def local_path(wanted: object) -> str | None:
    """Return a URL unchanged if it is inside this site, or None."""
    path = str(wanted or "")
    is_ours = path.startswith("/") and not path.startswith("//") and "\\" not in path
    # Below a path of the host, ".." would lead out of the site.
    leads_up = ".." in unquote(path.partition("?")[0]).split("/")
    return path if is_ours and not leads_up and path.isascii() and path.isprintable() else None
