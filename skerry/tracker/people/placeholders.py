"""Placeholders: imported people without a login, whom an administrator gives to somebody, once."""

from collections.abc import Mapping

from skerry.database import locks
from skerry.errors import Conflict, Invalid, NotFound
from skerry.resources.people import Placeholder
from skerry.store.events.decoding import Changes
from skerry.store.people import giving
from skerry.store.people import people as people_store
from skerry.store.people import placeholders as store
from skerry.text.words import having_words
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import people


def list_all(context: Context, _params: Params) -> ResultPage[Placeholder]:
    """Return the placeholders that were not given to anybody yet."""
    return ResultPage(Placeholder, store.list_all(context.transaction))


def filter_by_name(context: Context, search_text: str) -> list[Placeholder]:
    """Return the placeholders whose name or source contains the searched words, by name."""
    everybody = store.list_all(context.transaction)
    placeholders = having_words(everybody, lambda each: f"{each.name} {each.source}", search_text)
    return sorted(placeholders, key=lambda each: (each.name.casefold(), each.id))


def waits(context: Context, user_id: int) -> bool:
    """Return whether somebody is a placeholder that was not given to anybody yet."""
    return store.waits(context.transaction, user_id)


def get(context: Context, params: Params) -> Placeholder:
    """Return a placeholder, whether or not it was given to somebody; raises NotFound."""
    return _one(context, params.ids["id"])


def _one(context: Context, user_id: int) -> Placeholder:
    placeholder = store.one(context.transaction, user_id)
    if placeholder is None:
        raise NotFound("There is no such placeholder in this account")
    return placeholder


def update(context: Context, params: Params) -> Placeholder:
    """Assign a placeholder to a person of the account; raises as ``give`` does, Invalid for anybody else."""
    placeholder = get(context, params)
    user_id = params.draft_of(Placeholder).over(placeholder).user_id or 0
    if user_id not in {person.id for person in people_store.of_account(context.transaction)}:
        raise Invalid("User is not in this account")
    return give(context, params.ids["id"], user_id)


def give(context: Context, placeholder_id: int, user_id: int) -> Placeholder:
    """Assign everything of a placeholder to a person, with its memberships in projects.

    Each project that names the placeholder gets an event. Raises NotFound, Conflict if it was given to
    somebody else; to the same person it changes nothing.
    """
    transaction = context.transaction
    store.lock(transaction, placeholder_id)
    placeholder = _one(context, placeholder_id)
    if placeholder.user_id == user_id:
        return placeholder
    if placeholder.user_id:
        name = people_store.names(transaction, [placeholder.user_id]).get(placeholder.user_id)
        raise Conflict(f"{placeholder.name} was given to {name} already")
    places = giving.projects_of(transaction, placeholder_id)
    for project_id in places:
        locks.lock_exclusive(transaction, project_id)
    giving.give(transaction, placeholder_id, user_id)
    store.note_given(transaction, placeholder_id, user_id)
    changes: Changes = {"user_id": [None, user_id]}
    for place in places or (None,):
        events.record(context, Type.PLACEHOLDER_GIVEN, placeholder_id, changes=changes, project_id=place)
    return _one(context, placeholder_id)


def give_several(context: Context, emails: Mapping[str, str], source: str) -> list[Placeholder]:
    """Assign several placeholders to people by their addresses, all or none.

    Placeholders are named by their ids here, or by those in the archive of a name. Raises NotFound for a
    missing placeholder or person, Conflict as ``give`` does.
    """
    given = []
    for said, email in sorted(emails.items()):
        placeholder_id = _from(context, source, said) if source else int(said)
        given.append(give(context, placeholder_id, people.find(context.transaction, email).id))
    return given


def _from(context: Context, source: str, key: str) -> int:
    for each in store.list_all(context.transaction):
        if each.source == f"{source}/{key}":
            return each.id or 0
    raise NotFound(f"There is no placeholder {source}/{key} in this account")
