"""The part of the route table for hooks of projects and of the account."""

from skerry.resources.sending.hooks import Delivery, Hook, Redelivery
from skerry.resources.sending.sending import Sending
from skerry.tracker import administration
from skerry.tracker.access import Permission
from skerry.tracker.sending import hooks, sending
from skerry.web.routes.route import ResponseKind, Route

OF_PROJECT = "/projects/{project_id}/hooks"
OF_ACCOUNT = "/hooks"
SENDING = "/sending"

_HOLD = administration.lock


def _routes(place: str, permission: Permission) -> tuple[Route, ...]:
    """Return the routes of hooks below a path, with the permission to manage them."""
    hook = f"{place}/{{hook_id}}"
    deliveries = f"{hook}/deliveries"
    delivery = f"{deliveries}/{{delivery_id}}"
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
        Route("POST", f"{hook}/ping", hooks.ping, permission, Delivery, location=f"{deliveries}/{{id}}"),
        Route("GET", deliveries, hooks.list_deliveries, permission, Delivery, ResponseKind.PAGE),
        Route("GET", delivery, hooks.get_delivery, permission, Delivery),
        Route("POST", f"{delivery}/redeliver", hooks.redeliver, permission, Delivery),
        Route("POST", f"{hook}/redeliver", hooks.redeliver_since, permission, Redelivery, draft=Redelivery),
    )


ROUTES: tuple[Route, ...] = (
    *_routes(OF_PROJECT, Permission.CONTRIBUTE),
    *_routes(OF_ACCOUNT, Permission.ADMINISTER),
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
