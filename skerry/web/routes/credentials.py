"""The routes, pages and forms of the ways in which a person signs in."""

from skerry.resources.auth import (
    Identity,
    Passkey,
    Password,
    RecoveryCodes,
    Session,
    TimeCodes,
    Token,
    TokenProof,
    TokenRequest,
)
from skerry.tracker.auth import factors, identities, passkeys, passwords, sessions, token_requests, tokens
from skerry.web.route import CAPABILITY_LINK, EMPTY, IN_PERSON, LIST, SIGNED_IN, Route
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.routes.profile import PROFILE
from skerry.web.site.pages import factors as factor_pages
from skerry.web.site.pages import profile

TOKENS = "/profile/tokens"
TOKEN = f"{TOKENS}/{{id}}"
REPLACED_TOKEN = f"{TOKEN}/replace"
TOKEN_REQUESTS = "/profile/token-requests"  # noqa: S105 - a path
TOKEN_REQUEST = f"{TOKEN_REQUESTS}/{{code}}"
SESSIONS = "/profile/sessions"
IDENTITIES = "/profile/identities"
IDENTITY = f"{IDENTITIES}/{{id}}"
TIME_CODES = "/profile/time-codes"
RECOVERY_CODES = "/profile/recovery-codes"
PASSKEYS = "/profile/passkeys"
PASSKEY = f"{PASSKEYS}/{{id}}"

ROUTES: tuple[Route, ...] = (
    Route("GET", TOKENS, tokens.list_all, IN_PERSON, Token, LIST),
    Route("POST", TOKENS, tokens.create, IN_PERSON, Token, location=TOKEN, draft=Token, once=True),
    Route("DELETE", TOKENS, tokens.remove_all, IN_PERSON, Token, EMPTY),
    Route(
        "POST",
        REPLACED_TOKEN,
        tokens.replace,
        IN_PERSON,
        Token,
        location=TOKEN,
        extra_params=("overlap_hours",),
        once=True,
    ),
    Route("GET", TOKEN, tokens.own, IN_PERSON, Token),
    Route("DELETE", TOKEN, tokens.remove, IN_PERSON, Token, EMPTY),
    Route(
        "POST", TOKEN_REQUESTS, token_requests.create, IN_PERSON, TokenRequest, draft=TokenRequest, once=True
    ),
    Route(
        "POST", TOKEN_REQUEST, token_requests.exchange, CAPABILITY_LINK, Token, draft=TokenProof, once=True
    ),
    Route("GET", SESSIONS, sessions.list_all, IN_PERSON, Session, LIST),
    Route("DELETE", SESSIONS, sessions.end_others, IN_PERSON, Session, EMPTY),
    Route("DELETE", f"{SESSIONS}/{{id}}", sessions.end, IN_PERSON, Session, EMPTY),
    Route("GET", IDENTITIES, identities.list_all, IN_PERSON, Identity, LIST),
    Route("DELETE", IDENTITY, identities.remove, IN_PERSON, Identity, EMPTY),
    Route("GET", TIME_CODES, factors.get, IN_PERSON, TimeCodes),
    Route("POST", TIME_CODES, factors.create, IN_PERSON, TimeCodes, once=True),
    Route("PUT", TIME_CODES, factors.confirm, IN_PERSON, TimeCodes, draft=TimeCodes, once=True),
    Route("DELETE", TIME_CODES, factors.remove, IN_PERSON, TimeCodes, EMPTY),
    Route("GET", RECOVERY_CODES, factors.recovery_codes, IN_PERSON, RecoveryCodes),
    Route("POST", RECOVERY_CODES, factors.renew_recovery_codes, IN_PERSON, RecoveryCodes, once=True),
    Route("GET", PASSKEYS, passkeys.list_all, IN_PERSON, Passkey, LIST),
    Route("GET", f"{PASSKEYS}/new", passkeys.new, IN_PERSON, Passkey, quick=False),
    Route(
        "POST",
        PASSKEYS,
        passkeys.create,
        IN_PERSON,
        Passkey,
        location=PASSKEY,
        draft=Passkey,
        once=True,
        prepare=passkeys.loaded,
    ),
    Route("GET", PASSKEY, passkeys.get, IN_PERSON, Passkey),
    Route("PUT", PASSKEY, passkeys.update, IN_PERSON, Passkey, draft=Passkey),
    Route("DELETE", PASSKEY, passkeys.remove, IN_PERSON, Passkey, EMPTY),
    Route(
        "PUT",
        "/profile/password",
        passwords.change,
        IN_PERSON,
        Password,
        draft=Password,
        prepare=passwords.compared,
        confirms_password=True,
    ),
    Route("GET", "/tokens/{token}", tokens.get, SIGNED_IN, Token),
)

PAGES: tuple[Page, ...] = (
    Page(TOKENS, "tokens.html", profile.list_tokens, IN_PERSON),
    Page(f"{TOKEN_REQUESTS}/new", "token_request.html", profile.token_request, IN_PERSON),
    Page(TIME_CODES, "time_codes.html", factor_pages.time_codes, IN_PERSON),
    Page(RECOVERY_CODES, "recovery_codes.html", factor_pages.recovery_codes, IN_PERSON),
)

FORMS: tuple[Form, ...] = (
    Form("POST", TOKENS, page=PROFILE),
    Form("DELETE", TOKENS, page=TOKENS, then=f"{PROFILE}#tokens"),
    Form("POST", REPLACED_TOKEN, page=PROFILE),
    Form("POST", TOKEN_REQUESTS, page=f"{TOKEN_REQUESTS}/new"),
    Form("DELETE", TOKEN, page=PROFILE, then=f"{PROFILE}#tokens"),
    Form("DELETE", SESSIONS, page=PROFILE, then=f"{PROFILE}#browsers"),
    Form("DELETE", f"{SESSIONS}/{{id}}", page=PROFILE, then=f"{PROFILE}#browsers"),
    Form("POST", TIME_CODES, page=TIME_CODES),
    Form("PUT", TIME_CODES, page=TIME_CODES),
    Form("DELETE", TIME_CODES, page=PROFILE, then=f"{PROFILE}#factors"),
    Form("POST", RECOVERY_CODES, page=RECOVERY_CODES),
    Form("DELETE", IDENTITY, page=PROFILE, then=f"{PROFILE}#providers"),
    Form("POST", PASSKEYS, page=TIME_CODES, then=f"{PROFILE}#passkeys", shown_once="recovery_codes"),
    Form("PUT", PASSKEY, page=PROFILE, then=f"{PROFILE}#passkeys"),
    Form("DELETE", PASSKEY, page=PROFILE, then=f"{PROFILE}#passkeys"),
    Form("PUT", "/profile/password", page=PROFILE, then=f"{PROFILE}?{SAVED}"),
)
