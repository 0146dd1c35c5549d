"""The part of the route table for service users and their tokens."""

from skerry.resources.auth import Token
from skerry.resources.people import ServiceUser
from skerry.tracker import administration
from skerry.tracker.access import Permission
from skerry.tracker.auth import service_users
from skerry.web.route import ResponseKind, Route

SERVICE_USERS = "/people/service-users"
SERVICE_USER = f"{SERVICE_USERS}/{{user_id}}"
TOKENS = f"{SERVICE_USER}/tokens"
TOKEN = f"{TOKENS}/{{id}}"
REPLACED_TOKEN = f"{TOKEN}/replace"

ROUTES: tuple[Route, ...] = (
    Route(
        "GET", SERVICE_USERS, service_users.list_all, Permission.ADMINISTER, ServiceUser, ResponseKind.LIST
    ),
    Route(
        "POST",
        SERVICE_USERS,
        service_users.create,
        Permission.ADMINISTER,
        ServiceUser,
        location=f"{SERVICE_USERS}/{{id}}",
        draft=ServiceUser,
    ),
    Route("GET", SERVICE_USER, service_users.get, Permission.ADMINISTER, ServiceUser),
    Route(
        "PUT",
        SERVICE_USER,
        service_users.update,
        Permission.ADMINISTER,
        ServiceUser,
        draft=ServiceUser,
        first=administration.lock,
    ),
    Route("GET", TOKENS, service_users.list_tokens, Permission.ADMINISTER, Token, ResponseKind.LIST),
    Route(
        "POST",
        TOKENS,
        service_users.create_token,
        Permission.ADMINISTER,
        Token,
        location=TOKEN,
        draft=Token,
        first=administration.lock,
        once=True,
    ),
    Route(
        "POST",
        REPLACED_TOKEN,
        service_users.replace_token,
        Permission.ADMINISTER,
        Token,
        location=TOKEN,
        extra_params=("overlap_hours",),
        first=administration.lock,
        once=True,
    ),
    Route("GET", TOKEN, service_users.token, Permission.ADMINISTER, Token),
    Route("DELETE", TOKEN, service_users.revoke_token, Permission.ADMINISTER, Token, ResponseKind.EMPTY),
)
