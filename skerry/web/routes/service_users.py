"""The routes, pages and forms of service users and their tokens."""

from skerry.resources.auth import Token
from skerry.resources.people import ServiceUser
from skerry.tracker import administration
from skerry.tracker.auth import service_users
from skerry.web.route import ADMINISTER, EMPTY, LIST, Route
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.site.pages import service_users as service_user_pages

SERVICE_USERS = "/people/service-users"
SERVICE_USER = f"{SERVICE_USERS}/{{user_id}}"
TOKENS = f"{SERVICE_USER}/tokens"
TOKEN = f"{TOKENS}/{{id}}"
REPLACED_TOKEN = f"{TOKEN}/replace"

ROUTES: tuple[Route, ...] = (
    Route("GET", SERVICE_USERS, service_users.list_all, ADMINISTER, ServiceUser, LIST),
    Route(
        "POST",
        SERVICE_USERS,
        service_users.create,
        ADMINISTER,
        ServiceUser,
        location=f"{SERVICE_USERS}/{{id}}",
        draft=ServiceUser,
    ),
    Route("GET", SERVICE_USER, service_users.get, ADMINISTER, ServiceUser),
    Route(
        "PUT",
        SERVICE_USER,
        service_users.update,
        ADMINISTER,
        ServiceUser,
        draft=ServiceUser,
        first=administration.lock,
    ),
    Route("GET", TOKENS, service_users.list_tokens, ADMINISTER, Token, LIST),
    Route(
        "POST",
        TOKENS,
        service_users.create_token,
        ADMINISTER,
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
        ADMINISTER,
        Token,
        location=TOKEN,
        extra_params=("overlap_hours",),
        first=administration.lock,
        once=True,
    ),
    Route("GET", TOKEN, service_users.token, ADMINISTER, Token),
    Route("DELETE", TOKEN, service_users.revoke_token, ADMINISTER, Token, EMPTY),
)

PAGES: tuple[Page, ...] = (
    Page(SERVICE_USERS, "service_users.html", service_user_pages.list_all, ADMINISTER),
    Page(SERVICE_USER, "service_user.html", service_user_pages.get, ADMINISTER),
)

FORMS: tuple[Form, ...] = (
    Form("POST", SERVICE_USERS, page=SERVICE_USERS, then=f"{SERVICE_USERS}/{{id}}"),
    Form("PUT", SERVICE_USER, page=SERVICE_USER, then=f"{SERVICE_USER}?{SAVED}"),
    Form("POST", TOKENS, page=SERVICE_USER),
    Form("POST", REPLACED_TOKEN, page=SERVICE_USER),
    Form("DELETE", TOKEN, page=SERVICE_USER, then=SERVICE_USER),
)
