"""The part of the route table for hooks of projects and of the account, and for pushes of forges."""

from skerry.resources.forges import Forge, Push
from skerry.resources.sending import Delivery, Hook, Redelivery, Sending
from skerry.tracker import administration
from skerry.tracker.access import Permission
from skerry.tracker.forges import forges, pushes
from skerry.tracker.sending import deliveries, hooks, sending
from skerry.web.route import ResponseKind, Route

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
        Route("GET", place, hooks.list_all, permission, Hook, ResponseKind.LIST),
        Route(
            "POST", place, hooks.create, permission, Hook, location=f"{place}/{{id}}", draft=Hook, once=True
        ),
        Route("GET", f"{place}/new", hooks.new, permission, Hook),
        Route("GET", hook, hooks.get, permission, Hook),
        Route("PUT", hook, hooks.update, permission, Hook, draft=Hook),
        Route("DELETE", hook, hooks.delete, permission, Hook, ResponseKind.EMPTY),
        Route("POST", f"{hook}/secret", hooks.replace_secret, permission, Hook, once=True),
        Route("POST", f"{hook}/ping", deliveries.ping, permission, Delivery, location=f"{log}/{{id}}"),
        Route(
            "GET",
            log,
            deliveries.list_all,
            permission,
            Delivery,
            ResponseKind.PAGE,
            extra_params=deliveries.PARAMS,
        ),
        Route("GET", delivery, deliveries.get, permission, Delivery),
        Route("POST", f"{delivery}/redeliver", deliveries.redeliver, permission, Delivery),
        Route("POST", f"{hook}/redeliver", deliveries.repeat, permission, Redelivery, draft=Redelivery),
    )


ROUTES: tuple[Route, ...] = (
    *_routes(OF_PROJECT, Permission.CONTRIBUTE),
    *_routes(OF_ACCOUNT, Permission.ADMINISTER),
    Route("GET", FORGES, forges.list_all, Permission.CONTRIBUTE, Forge, ResponseKind.LIST),
    Route(
        "POST", FORGES, forges.create, Permission.CONTRIBUTE, Forge, location=FORGE, draft=Forge, once=True
    ),
    Route("GET", FORGE, forges.get, Permission.CONTRIBUTE, Forge),
    Route("DELETE", FORGE, forges.delete, Permission.CONTRIBUTE, Forge, ResponseKind.EMPTY),
    Route("POST", f"{FORGE}/secret", forges.renew_secret, Permission.CONTRIBUTE, Forge, once=True),
    Route(
        "POST",
        "/projects/{project_id}/pushes/{kind}",
        pushes.receive,
        Permission.CAPABILITY_LINK,
        Push,
        prepare=pushes.prepare,
        takes_push=True,
    ),
    Route("GET", SENDING, sending.get, Permission.ADMINISTER, Sending),
    Route(
        "PUT",
        SENDING,
        sending.update,
        Permission.ADMINISTER,
        Sending,
        draft=Sending,
        first=administration.lock,
    ),
)
