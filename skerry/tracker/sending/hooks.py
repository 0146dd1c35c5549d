"""Hooks of a project or of the account: their settings, secrets and deliveries."""

from base64 import b64encode
from secrets import token_bytes

from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.sending.hooks import Delivery, Hook, Redelivery
from skerry.store import accounts, projects
from skerry.store.engine.transactions import DAY, Transaction, microseconds
from skerry.store.events.events import Changes
from skerry.store.people import people
from skerry.store.sending import deliveries
from skerry.store.sending import hooks as store
from skerry.text.names import folded
from skerry.text.queries.query_keys import KEYS
from skerry.text.queries.query_tree import Text, terms
from skerry.tracker.changes.name_resolver import MYSELF
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.lists.search import parse_query
from skerry.tracker.sending import hook_addresses
from skerry.wire.record import changed

MAX = 100
"""The maximum number of hooks of a project, and of the account itself."""

FORMATS = ("skerry", "slack", "discord")

ALL = "*"

_NEVER = ("hook", "password", "sending", "token")

TYPES = tuple(kind.value for kind in Type if kind.partition(".")[0] not in _NEVER)
"""The types of events that hooks receive; those about credentials and hooks are excluded."""

SECRET_DAYS = 1
"""How long the previous secret stays valid after it was replaced."""

_NONE = "There is no such hook here"


def list_all(context: Context, _params: Params) -> ResultPage[Hook]:
    """Return the hooks of the project, or those of the account, oldest first."""
    return ResultPage(Hook, store.of_project(context.transaction, place(context)))


def new(context: Context, _params: Params) -> Hook:
    """Return a new hook with its defaults."""
    return Hook(events=[ALL], project_id=place(context))


def get(context: Context, params: Params) -> Hook:
    """Return a hook; raises NotFound."""
    return _one(context, _id(params))


def create(context: Context, params: Params) -> Hook:
    """Create a hook, which receives events from now on; only this response contains its secret.

    Raises Invalid for an invalid value, Conflict if there are too many hooks.
    """
    wanted = _checked(context, changed(params.draft_of(Hook).new, project_id=place(context)))
    _lock_list(context)
    if store.count(context.transaction, place(context)) >= MAX:
        raise Conflict(f"There are already {MAX} hooks here, and no more can be added")
    secret = new_secret()
    values = {"user_id": context.author.user_id, "secret": secret, **_stored(wanted)}
    hook_id = store.add(context.transaction, place(context), **values)
    return changed(_recorded(context, Type.HOOK_CREATED, Hook(), hook_id), secret=secret)


def update(context: Context, params: Params) -> Hook:
    """Change a hook; a pending retry becomes due at once.

    A hook that is turned on again continues where it stopped.

    Raises NotFound, or Invalid for an invalid value.
    """
    before = _locked(context, params)
    after = _checked(context, params.draft_of(Hook).over(before))
    store.change(context.transaction, place(context), _id(params), **_stored(after))
    return _recorded(context, Type.HOOK_UPDATED, before, _id(params))


def delete(context: Context, params: Params) -> None:
    """Delete a hook and the log of its deliveries; raises NotFound."""
    if not store.remove(context.transaction, place(context), _id(params)):
        raise NotFound(_NONE)
    events.record(context, Type.HOOK_DELETED, _id(params))


def replace_secret(context: Context, params: Params) -> Hook:
    """Replace the secret of a hook, which only this response contains; raises NotFound.

    For a day deliveries are signed with both secrets.
    """
    before, secret = _locked(context, params), new_secret()
    until = context.transaction.now + SECRET_DAYS * DAY
    store.replace_secret(context.transaction, place(context), _id(params), secret, until)
    return changed(_recorded(context, Type.HOOK_UPDATED, before, _id(params)), secret=secret)


def new_secret() -> str:
    """Return a new secret in the format of the Standard Webhooks specification."""
    return f"whsec_{b64encode(token_bytes(32)).decode()}"


# --- Deliveries ------------------------------------------------------------------------------------


def list_deliveries(context: Context, params: Params) -> ResultPage[Delivery]:
    """Return a page of a hook's deliveries of the last 30 days, newest first; raises NotFound."""
    hook_id, page = _one(context, _id(params)).id or 0, params.page
    found = deliveries.page(context.transaction, hook_id, limit=page.limit, offset=page.offset)
    return ResultPage(Delivery, found, deliveries.count(context.transaction, hook_id))


def get_delivery(context: Context, params: Params) -> Delivery:
    """Return a delivery of a hook; raises NotFound."""
    _one(context, _id(params))
    return _delivery(context, _id(params), params.ids["delivery_id"])


def ping(context: Context, params: Params) -> Delivery:
    """Send a test delivery to a hook soon, even if it is turned off; raises NotFound.

    It is not retried.
    """
    _locked(context, params)
    delivery_id = deliveries.add_test(context.transaction, _id(params))
    return _delivery(context, _id(params), delivery_id)


def redeliver(context: Context, params: Params) -> Delivery:
    """Repeat a delivery under the same id; raises NotFound.

    It is sent soon, even if the hook is turned off, and is not retried.
    """
    _locked(context, params)
    delivery = _delivery(context, _id(params), params.ids["delivery_id"])
    deliveries.request_redelivery(context.transaction, _id(params), delivery.id or 0)
    return _delivery(context, _id(params), params.ids["delivery_id"])


def redeliver_since(context: Context, params: Params) -> Redelivery:
    """Repeat all failed deliveries since a time, under the same ids; raises NotFound.

    Raises Invalid without a time.
    """
    _locked(context, params)
    since = params.draft_of(Redelivery).new.since
    if since is None:
        raise Invalid("Since must be a time such as 2026-03-14T09:26:53Z")
    count = deliveries.request_failed_since(context.transaction, _id(params), microseconds(since))
    return Redelivery(count=count, since=since)


def _delivery(context: Context, hook_id: int, delivery_id: int) -> Delivery:
    found = deliveries.one(context.transaction, hook_id, delivery_id)
    if found is None:
        raise NotFound("There is no such delivery of this hook; they are kept for 30 days")
    return found


# --- Rules -----------------------------------------------------------------------------------------


def place(context: Context) -> int | None:
    """Return the project whose hooks are requested, or None for those of the account."""
    return context.project_id if context.entered else None


def _id(params: Params) -> int:
    return params.ids["hook_id"]


def owners(transaction: Transaction, project_id: int | None, user_id: int) -> set[int]:
    """Return who is alerted about a hook: its creator, or the administrators if they no longer manage it."""
    administrators = people.administrators(transaction)
    manages = project_id is not None and people.is_worker(transaction, project_id, user_id)
    return {user_id} if manages or user_id in administrators else administrators


def _one(context: Context, hook_id: int) -> Hook:
    found = store.one(context.transaction, place(context), hook_id)
    if found is None:
        raise NotFound(_NONE)
    return found


def lock(context: Context, params: Params) -> None:
    """Lock a hook against other changes, and against recording of deliveries, until the end."""
    store.lock(context.transaction, place(context), _id(params))


def _locked(context: Context, params: Params) -> Hook:
    lock(context, params)
    return _one(context, _id(params))


def _lock_list(context: Context) -> None:
    if context.entered:
        projects.lock(context.transaction, context.project_id)
    else:
        accounts.lock(context.transaction)


def _checked(context: Context, hook: Hook) -> Hook:
    """Return a hook with its values in their stored form; raises Invalid."""
    url = hook.url.strip()
    hook_addresses.check(url, context.hook_networks)
    for kind in hook.events:
        if kind != ALL and kind not in TYPES:
            raise Invalid(f"Events must not contain {kind!r}: there is no such event type")
    if hook.format not in FORMATS:
        raise Invalid(f"Format must be one of {', '.join(FORMATS)}")
    if hook.query.strip():
        _check_query(hook.query)
    kinds = [ALL] if ALL in hook.events or not hook.events else sorted(set(hook.events))
    return changed(hook, url=url, events=kinds, query=hook.query.strip())


def _check_query(text: str) -> None:
    try:
        query = parse_query(text)
    except Invalid as error:
        raise Invalid(f"Query: {error}") from error
    for term in terms(query.condition):
        for value in term.values if MYSELF in KEYS[term.key].choices else ():
            if isinstance(value, Text) and folded(value.text) == MYSELF:
                raise Invalid(f"Query: Nobody asks in a hook, so 'me' at {value.position} is nobody")


def _stored(hook: Hook) -> dict[str, str | int]:
    return {
        "url": hook.url,
        "events": " ".join(hook.events),
        "query": hook.query,
        "format": hook.format,
        "active": int(hook.active),
        "note": hook.note,
    }


def _recorded(context: Context, kind: Type, before: Hook, hook_id: int) -> Hook:
    after = _one(context, hook_id)
    events.record(context, kind, hook_id, changes=_changes(before, after))
    return after


def _changes(before: Hook, after: Hook) -> Changes:
    """Return the changes; of the URL only that it changed, because it may contain a secret."""
    found = events.compared(before, after)
    return {name: None if name == "url" else values for name, values in found.items()}
