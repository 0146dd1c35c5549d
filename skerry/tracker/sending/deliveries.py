"""Deliveries to a hook: the log, tests and redeliveries."""

from skerry.database.transactions import microseconds
from skerry.errors import Invalid, NotFound
from skerry.resources.sending import Delivery, Redelivery
from skerry.store.sending import deliveries as store
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.sending import hook_addresses, hooks
from skerry.wire import budget
from skerry.wire.record import changed
from skerry.wire.values import whole_number

STATES = ("delivered", "waiting", "failed")

PARAMS = ("state", "status", "ticket", "type")
"""The parameters that select deliveries."""


def list_all(context: Context, params: Params) -> ResultPage[Delivery]:
    """Return a page of a hook's deliveries of the last 30 days, newest first; raises NotFound.

    Their texts are limited to the size of a response.
    """
    hook_id, page, wanted = hooks.one(context, params).id or 0, params.page, _filter(params)
    deliveries = store.page(context.transaction, hook_id, wanted, limit=page.limit, offset=page.offset)
    total = store.count(context.transaction, hook_id, wanted)
    fitted = budget.fitted(_as_read(context, hook_id, deliveries))
    if any(map(budget.is_cut, fitted)):
        context.transaction.note_shortened(budget.longest(deliveries))
    return ResultPage(Delivery, fitted, total)


def _filter(params: Params) -> store.Filter:
    """Return the filter in the query string; raises Invalid."""
    state = params.query.get("state") or None
    if state not in (None, *STATES):
        raise Invalid(f"State must be one of {', '.join(STATES)}")
    numbers = {name: params.query.get(name) or None for name in ("status", "ticket")}
    status, ticket = (whole_number(name.capitalize(), value) for name, value in numbers.items())
    return store.Filter(state, params.query.get("type") or None, status, ticket)


def get(context: Context, params: Params) -> Delivery:
    """Return a delivery of a hook; raises NotFound."""
    hooks.one(context, params)
    return _delivery(context, params.ids["hook_id"], params.ids["delivery_id"])


def ping(context: Context, params: Params) -> Delivery:
    """Send a test delivery to a hook soon, even if it is turned off; raises NotFound.

    It is not retried.
    """
    hooks.locked(context, params)
    delivery_id = store.add_test(context.transaction, params.ids["hook_id"], hooks.place(context))
    return _delivery(context, params.ids["hook_id"], delivery_id)


def redeliver(context: Context, params: Params) -> Delivery:
    """Repeat a delivery under the same id; raises NotFound.

    It is sent soon, even if the hook is turned off, and is not retried.
    """
    hooks.locked(context, params)
    delivery = _delivery(context, params.ids["hook_id"], params.ids["delivery_id"])
    store.request_redelivery(context.transaction, params.ids["hook_id"], delivery.id or 0)
    return _delivery(context, params.ids["hook_id"], params.ids["delivery_id"])


def repeat(context: Context, params: Params) -> Redelivery:
    """Repeat all failed deliveries since a time, under the same ids; raises NotFound.

    Raises Invalid without a time.
    """
    hooks.locked(context, params)
    since = params.draft_of(Redelivery).new.since
    if since is None:
        raise Invalid("Since must be a time such as 2026-03-14T09:26:53Z")
    count = store.request_failed_since(context.transaction, params.ids["hook_id"], microseconds(since))
    return Redelivery(count=count, since=since)


def _delivery(context: Context, hook_id: int, delivery_id: int) -> Delivery:
    delivery = store.one(context.transaction, hook_id, delivery_id)
    if delivery is None:
        raise NotFound("There is no such delivery of this hook; they are kept for 30 days")
    return _as_read(context, hook_id, [delivery])[0]


def _as_read(context: Context, hook_id: int, found: list[Delivery]) -> list[Delivery]:
    """Return deliveries as readers see them, with their attempts."""
    ids = [delivery.id or 0 for delivery in found]
    attempts = store.attempts(context.transaction, hook_id, ids)
    shown = _without_path if context.author.reads_tickets else _without_texts
    return [changed(shown(delivery), attempts=attempts.get(delivery.id or 0, [])) for delivery in found]


def _without_texts(delivery: Delivery) -> Delivery:
    """Return a delivery without the payload, which contains a ticket, and which an answer may repeat."""
    return changed(delivery, request="", answer="")


def _without_path(delivery: Delivery) -> Delivery:
    """Return a delivery without the path of its URL, which receivers may repeat in their answers."""
    path = delivery.request.partition("\n")[0].removeprefix("POST /").removesuffix(" HTTP/1.1")
    if not path:
        return delivery
    shown = hook_addresses.masked_text(path)
    request, answer = (text.replace(path, shown) for text in (delivery.request, delivery.answer))
    return changed(delivery, request=request, answer=answer)
