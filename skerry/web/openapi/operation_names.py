"""The names of operations, from their methods and paths: ``list_tickets``, ``get_ticket_version``."""

import re

from skerry.web.route import ResponseKind, Route
from skerry.web.routes.table import ROUTES

_NAMES = {
    "GET /password-reset": "new_password_reset",
    "GET /sign-up": "new_sign_up",
    "POST /applicants/decision": "decide_applicants",
    "POST /mail": "deliver_mail",
    "POST /projects/{project_id}/pushes/{kind}": "create_push",
    "POST /projects/{project_id}/held-texts/decision": "decide_held_texts",
    "POST /password-reset": "request_password_reset",
    "POST /password-reset/{code}": "reset_password",
    "POST /profile/verification": "request_verification",
    "POST /set-up/{code}": "set_up",
    "POST /sign-up": "sign_up",
    "POST /sign-up/{code}": "finish_sign_up",
    "POST /unsubscribe/{code}": "unsubscribe",
    "POST /verification/{code}": "verify_address",
    "POST /welcome/{code}": "accept_invitation",
}
_LISTS = (ResponseKind.LIST, ResponseKind.PAGE, ResponseKind.EVENTS)
_ACTIONS = frozenset(
    {"close", "new", "open", "ping", "read", "redeliver", "restore", "retry", "suggest", "undo"}
)
_VERBS = {"GET": "get", "POST": "create", "PUT": "update", "DELETE": "delete"}
_PROJECT = "/projects/{project_id}"
_IN_PROJECTS = frozenset(
    route.path.removeprefix(_PROJECT) for route in ROUTES if route.path.startswith(f"{_PROJECT}/")
)
_UPDATED = frozenset(route.path for route in ROUTES if route.method == "PUT")
_PIECE = re.compile(r"/([^/{}]+)(/\{\w+\})?")


def operation_id(route: Route) -> str:
    """Return the unique name of an operation."""
    verb, noun = _verb(route), _noun(route)
    name = _NAMES.get(f"{route.method} {route.path}") or f"{verb}_{noun}"
    return f"{name}{_way(route)}"


def _verb(route: Route) -> str:
    last = route.path.rpartition("/")[2]
    if last in _ACTIONS:
        return last
    if route.response_kind in _LISTS:
        return "list"
    # Some resources are also changed by POST.
    return "update" if route.path in _UPDATED and route.method == "POST" else _VERBS[route.method]


def _noun(route: Route) -> str:
    """Return the words of a path; those that mean a single resource are in the singular."""
    inside = route.path.removeprefix(_PROJECT) or route.path
    pieces = _PIECE.findall(inside)
    if pieces[-1][0] in _ACTIONS:
        pieces.pop()
        alone = inside.endswith("/new")
    else:
        alone = route.method == "POST" and bool(route.location)
    words = [_singular(word) if item else word for word, item in pieces]
    words[-1] = _singular(words[-1]) if alone else words[-1]
    whose = ["account"] if not route.path.startswith(_PROJECT) and inside in _IN_PROJECTS else []
    return "_".join([*whose, *words]).replace("-", "_")


def _singular(word: str) -> str:
    if word == "people":
        return "person"
    return f"{word.removesuffix('ies')}y" if word.endswith("ies") else word.removesuffix("s")


def _way(route: Route) -> str:
    """Return the suffix of the name of a route that exists for old clients."""
    by_post = route.method == "POST" and route.path in _UPDATED
    return ("_by_post" if by_post else "") + ("_by_old_path" if "/milestone/" in route.path else "")
