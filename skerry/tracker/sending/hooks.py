"""Hooks of a project or of the account: their settings and secrets."""

from base64 import b64encode
from collections.abc import Container
from secrets import token_bytes

from skerry.database.transactions import DAY, Transaction
from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.sending import Hook
from skerry.store import accounts, projects
from skerry.store.events.decoding import Changes, StoredEvent
from skerry.store.people import people
from skerry.store.sending import hooks as store
from skerry.text.queries.dates import Ago, Boundary
from skerry.text.queries.query_keys import KEYS
from skerry.text.queries.query_tree import MYSELF, NEXT, Dates, Text, Value, terms
from skerry.text.queries.query_values import CLAIMED, READY
from skerry.text.states import States
from skerry.text.words import folded
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.search import check_query
from skerry.tracker.sending import hook_addresses
from skerry.wire.record import changed

MAX = 100
"""The maximum number of hooks of a project, and of the account itself."""

FORMATS = ("skerry", "slack", "discord")

ALL = "*"

VERSIONS = ("all", "newest")

_NOT_OF_PROJECTS = ("account", "invitation", "mail", "person", "user")
_OF_ACCOUNT = (Type.PROJECT_CREATED, Type.PROJECT_DELETED)

TYPES = tuple(kind.value for kind in Type if kind.partition(".")[0] not in store.NEVER_SENT)
"""The types of events that hooks of the account receive; those about credentials and hooks are excluded."""

PROJECT_TYPES = tuple(
    kind for kind in TYPES if kind.partition(".")[0] not in _NOT_OF_PROJECTS and kind not in _OF_ACCOUNT
)
"""The types of events that hooks of a project receive."""

FILTERS = ("ticket.assigned", "ticket.closed", "ticket.commented")
"""Names that select some events of tickets; the events keep their own types."""

SECRET_DAYS = 1
"""How long the previous secret stays valid after it was replaced."""

_NONE = "There is no such hook here"


def list_all(context: Context, _params: Params) -> ResultPage[Hook]:
    """Return the hooks of the project, or those of the account, oldest first."""
    return ResultPage(Hook, [_shown(hook) for hook in store.ROWS.all(context.transaction, place(context))])


def new(context: Context, _params: Params) -> Hook:
    """Return a new hook with its defaults."""
    return Hook(events=[ALL], project_id=place(context))


def get(context: Context, params: Params) -> Hook:
    """Return a hook, with the end of its URL only; raises NotFound."""
    return _shown(one(context, params))


def create(context: Context, params: Params) -> Hook:
    """Create a hook, which receives events from now on; only this response has its secret and the whole URL.

    Raises Invalid for an invalid value, Conflict if there are too many hooks.
    """
    wanted = _checked(context, changed(params.draft_of(Hook).new, project_id=place(context)), Hook())
    _lock_list(context)
    if store.ROWS.count(context.transaction, place(context)) >= MAX:
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
    before = locked(context, params)
    wanted = params.draft_of(Hook).over(before)
    if wanted.url.strip() == hook_addresses.masked(before.url):
        wanted = changed(wanted, url=before.url)
    wanted = _checked(context, wanted, before)
    if wanted == before:
        return _shown(before)
    store.ROWS.update(context.transaction, place(context), _id(params), **_stored(wanted))
    after = _recorded(context, Type.HOOK_UPDATED, before, _id(params))
    return after if after.url != before.url else _shown(after)


def delete(context: Context, params: Params) -> None:
    """Delete a hook and the log of its deliveries; raises NotFound."""
    if not store.ROWS.delete(context.transaction, place(context), _id(params)):
        raise NotFound(_NONE)
    events.record(context, Type.HOOK_DELETED, _id(params))


def replace_secret(context: Context, params: Params) -> Hook:
    """Replace the secret of a hook, which only this response contains; raises NotFound.

    For a day deliveries are signed with both secrets.
    """
    before, secret = locked(context, params), new_secret()
    until = context.transaction.now + SECRET_DAYS * DAY
    store.replace_secret(context.transaction, place(context), _id(params), secret, until)
    return changed(_shown(_recorded(context, Type.HOOK_UPDATED, before, _id(params))), secret=secret)


def new_secret() -> str:
    """Return a new secret in the format of the Standard Webhooks specification."""
    return f"whsec_{b64encode(token_bytes(32)).decode()}"


def _shown(hook: Hook) -> Hook:
    return changed(hook, url=hook_addresses.masked(hook.url))


def place(context: Context) -> int | None:
    """Return the project whose hooks are requested, or None for those of the account."""
    return context.project_id if context.entered else None


def types_at(context: Context) -> tuple[str, ...]:
    """Return the types of events that hooks of the project, or of the account, receive."""
    return TYPES if place(context) is None else PROJECT_TYPES


def is_named(names: Container[str], event: StoredEvent, states: States | None) -> bool:
    """Return whether a hook that names these types and filters receives an event of a project.

    ``states`` are those of the project, if it still exists.
    """
    if ALL in names or event.type in names:
        return event.type in TYPES
    if event.type not in (Type.TICKET_CREATED, Type.TICKET_UPDATED):
        return False
    kinds, changes = set(), event.changes
    if "body" in changes and event.type == Type.TICKET_UPDATED:
        kinds.add("ticket.commented")
    if (changes.get("assigned_user_id") or (None, None))[1] is not None:
        kinds.add("ticket.assigned")
    old, new = (states.find(str(name)) if states else None for name in changes.get("state") or ("", ""))
    if new and new.closed and not (old and old.closed):
        kinds.add("ticket.closed")
    return any(name in names for name in kinds)


def _id(params: Params) -> int:
    return params.ids["hook_id"]


def owners(transaction: Transaction, project_id: int | None, user_id: int) -> set[int]:
    """Return who is alerted about a hook: its creator, or administrators instead.

    That is if the creator no longer manages it, or is a service user.
    """
    administrators = people.administrators(transaction, in_person=True)
    creator = people.person(transaction, user_id)
    if creator and creator.service:
        return administrators
    manages = project_id is not None and people.is_worker(transaction, project_id, user_id)
    return {user_id} if manages or user_id in administrators else administrators


def one(context: Context, params: Params) -> Hook:
    """Return a hook with its whole URL; raises NotFound."""
    hook = store.ROWS.one(context.transaction, place(context), _id(params))
    if hook is None:
        raise NotFound(_NONE)
    return hook


def lock(context: Context, params: Params) -> None:
    """Lock a hook until the transaction ends, also against the recording of deliveries."""
    store.ROWS.lock(context.transaction, place(context), _id(params))


def locked(context: Context, params: Params) -> Hook:
    """Lock a hook and return it with its whole URL; raises NotFound."""
    lock(context, params)
    return one(context, params)


def _lock_list(context: Context) -> None:
    if context.entered:
        projects.lock(context.transaction, context.project_id)
    else:
        accounts.lock(context.transaction)


def _checked(context: Context, hook: Hook, before: Hook) -> Hook:
    """Return a hook with its values in their stored form; raises Invalid for a new value that is invalid."""
    url = hook.url.strip()
    # It is empty if it could not be read.
    if url != before.url or not url:
        hook_addresses.check(url, context.hook_networks)
    named = {kind for kind in hook.events if kind}
    for kind in sorted(named):
        if kind != ALL and kind not in (*before.events, *types_at(context), *FILTERS):
            raise Invalid(f"Events must not contain {kind!r}: there is no such event type")
    if hook.format not in FORMATS:
        raise Invalid(f"Format must be one of {', '.join(FORMATS)}")
    if hook.versions not in VERSIONS:
        raise Invalid(f"Versions must be one of {', '.join(VERSIONS)}")
    if hook.query.strip() and hook.query != before.query:
        _check_query(hook.query)
    kinds = [ALL] if ALL in named or not named else sorted(named)
    return changed(hook, url=url, events=kinds, query=hook.query.strip())


def _check_query(text: str) -> None:
    """Raise Invalid for a query whose result for a ticket may change without an event of the ticket."""
    query = check_query(text)
    for sort in query.sorts:
        raise Invalid(
            f"Query: Remove the sort at {sort.position}; hooks send events in the order they happen"
        )
    for term in terms(query.condition):
        if term.key == "updated":
            raise Invalid(f"Query: The result of 'updated' at {term.position} changes without an event")
        for value in term.values:
            if isinstance(value, Text) and MYSELF in KEYS[term.key].choices and folded(value.text) == MYSELF:
                raise Invalid(
                    f"Query: A hook belongs to nobody, so name a person instead of 'me' at {value.position}"
                )
            if _moves_on(term.key, value):
                raise Invalid(
                    f"Query: The result of '{_word(value)}' at {value.position} changes without an event"
                )


_MOVING = {"milestone": (NEXT,), "is": (CLAIMED, READY)}


def _moves_on(key: str, value: Value) -> bool:
    """Return whether a value finds other tickets without an event: a relative date, or one in ``_MOVING``."""
    if isinstance(value, Dates):
        return any(isinstance(edge, Boundary | Ago) for edge in (value.span.start, value.span.end))
    return isinstance(value, Text) and folded(value.text) in _MOVING.get(key, ())


def _word(value: Value) -> str:
    return value.span.text if isinstance(value, Dates) else folded(getattr(value, "text", NEXT))


def _stored(hook: Hook) -> dict[str, str | int]:
    return {
        "url": hook.url,
        "events": " ".join(hook.events),
        "query": hook.query,
        "format": hook.format,
        "active": int(hook.active),
        "note": hook.note,
        "versions": hook.versions,
    }


def _recorded(context: Context, kind: Type, before: Hook, hook_id: int) -> Hook:
    after = one(context, Params(ids={"hook_id": hook_id}))
    events.record(context, kind, hook_id, changes=_changes(before, after))
    return after


def _changes(before: Hook, after: Hook) -> Changes:
    """Return the changes; of the URL only that it changed, because it may contain a secret."""
    changes = events.compared(before, after)
    return {name: None if name == "url" else values for name, values in changes.items()}
