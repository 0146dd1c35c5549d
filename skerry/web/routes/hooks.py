"""The routes, pages and forms of hooks of projects and of the account, and for pushes of forges."""

from skerry.resources.forges import Forge, Push
from skerry.resources.sending import Delivery, Hook, Redelivery, Sending
from skerry.tracker import administration
from skerry.tracker.access import Permission
from skerry.tracker.forges import forges, pushes
from skerry.tracker.sending import deliveries, hooks, sending
from skerry.web.route import ADMINISTER, CAPABILITY_LINK, CONNECT, CONTRIBUTE, EMPTY, LIST, PAGE, Route
from skerry.web.routes.administration import ADMINISTRATION
from skerry.web.routes.page import SAVED, Form, Page
from skerry.web.site.pages import forges as forge_pages
from skerry.web.site.pages import hooks as hook_pages

OF_PROJECT = "/projects/{project_id}/hooks"
OF_ACCOUNT = "/hooks"
SENDING = "/sending"
FORGES = "/projects/{project_id}/forges"
FORGE = f"{FORGES}/{{id}}"


def _routes(place: str, permission: Permission) -> tuple[Route, ...]:
    """Return the routes of hooks below a path, with the permission to manage them."""
    hook = f"{place}/{{hook_id}}"
    log = f"{hook}/deliveries"
    delivery = f"{log}/{{delivery_id}}"
    return (
        Route("GET", place, hooks.list_all, permission, Hook, LIST),
        Route(
            "POST", place, hooks.create, permission, Hook, location=f"{place}/{{id}}", draft=Hook, once=True
        ),
        Route("GET", f"{place}/new", hooks.new, permission, Hook),
        Route("GET", hook, hooks.get, permission, Hook),
        Route("PUT", hook, hooks.update, permission, Hook, draft=Hook),
        Route("DELETE", hook, hooks.delete, permission, Hook, EMPTY),
        Route("POST", f"{hook}/secret", hooks.replace_secret, permission, Hook, once=True),
        Route("POST", f"{hook}/ping", deliveries.ping, permission, Delivery, location=f"{log}/{{id}}"),
        Route(
            "GET",
            log,
            deliveries.list_all,
            permission,
            Delivery,
            PAGE,
            whole=True,
            extra_params=deliveries.PARAMS,
        ),
        Route("GET", delivery, deliveries.get, permission, Delivery),
        Route("POST", f"{delivery}/redeliver", deliveries.redeliver, permission, Delivery),
        Route("POST", f"{hook}/redeliver", deliveries.repeat, permission, Redelivery, draft=Redelivery),
    )


def _pages(place: str, permission: Permission) -> tuple[Page, ...]:
    """Return the pages of hooks below a path."""
    return (
        Page(place, "hooks.html", hook_pages.list_all, permission),
        Page(f"{place}/{{hook_id}}", "hook.html", hook_pages.get, permission),
    )


def _forms(place: str) -> tuple[Form, ...]:
    """Return the forms of hooks below a path."""
    hook = f"{place}/{{hook_id}}"
    log = f"{hook}#deliveries"
    return (
        Form("POST", place, page=place),
        Form("PUT", hook, page=hook, then=f"{hook}?{SAVED}"),
        Form("DELETE", hook, page=hook, then=place),
        Form("POST", f"{hook}/secret", page=hook),
        Form("POST", f"{hook}/ping", page=hook, then=log),
        Form("POST", f"{hook}/redeliver", page=hook, then=log),
        Form("POST", f"{hook}/deliveries/{{delivery_id}}/redeliver", page=hook, then=log),
    )


ROUTES: tuple[Route, ...] = (
    *_routes(OF_PROJECT, CONTRIBUTE),
    *_routes(OF_ACCOUNT, CONNECT),
    Route("GET", FORGES, forges.list_all, CONTRIBUTE, Forge, LIST),
    Route("POST", FORGES, forges.create, CONTRIBUTE, Forge, location=FORGE, draft=Forge, once=True),
    Route("GET", FORGE, forges.get, CONTRIBUTE, Forge),
    Route("DELETE", FORGE, forges.delete, CONTRIBUTE, Forge, EMPTY),
    Route("POST", f"{FORGE}/secret", forges.renew_secret, CONTRIBUTE, Forge, once=True),
    Route(
        "POST",
        "/projects/{project_id}/pushes/{kind}",
        pushes.receive,
        CAPABILITY_LINK,
        Push,
        prepare=pushes.prepare,
        takes_push=True,
    ),
    Route("GET", SENDING, sending.get, ADMINISTER, Sending),
    Route("PUT", SENDING, sending.update, ADMINISTER, Sending, draft=Sending, first=administration.lock),
)

PAGES: tuple[Page, ...] = (
    *_pages(OF_PROJECT, CONTRIBUTE),
    *_pages(OF_ACCOUNT, ADMINISTER),
    Page(FORGES, "forges.html", forge_pages.list_all, CONTRIBUTE),
)

FORMS: tuple[Form, ...] = (
    *_forms(OF_PROJECT),
    *_forms(OF_ACCOUNT),
    Form("POST", FORGES, page=FORGES),
    Form("POST", f"{FORGE}/secret", page=FORGES),
    Form("DELETE", FORGE, page=FORGES, then=FORGES),
    Form("PUT", SENDING, page=ADMINISTRATION, then=f"{ADMINISTRATION}?{SAVED}"),
)
