"""Removals of people from a project or the account, which can be undone for some days."""

from collections.abc import Iterable

from skerry.errors import Invalid, NotFound
from skerry.resources.people import Membership, Person
from skerry.resources.removals import Removal
from skerry.store import removals as store
from skerry.store.auth import account_logins, factors, sessions, tokens
from skerry.store.people import people as people_store
from skerry.store.people.person import StoredPerson
from skerry.store.removals import FormerRoles, Load, StoredRemoval
from skerry.store.sending import feeds
from skerry.text.words import having_words
from skerry.tracker import access, administration, bulk_edits, bulk_undo
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import memberships, people, roles
from skerry.wire.values import whole_number


def of_project(context: Context, _params: Params) -> ResultPage[Removal]:
    """Return the people removed from the project who can be restored, the latest first."""
    return ResultPage(Removal, store.list_all(context.transaction, context.project_id))


def of_account(context: Context, _params: Params) -> ResultPage[Removal]:
    """Return the people removed from the account who can be restored, the latest first."""
    return ResultPage(Removal, store.list_all(context.transaction))


def load_of_member(context: Context, user_id: int) -> list[Load]:
    """Return the number of open tickets in the project that are assigned to a member, if any."""
    return store.loads(context.transaction, user_id, context.project_id)


def load_of_person(context: Context, user_id: int) -> list[Load]:
    """Return the number of open tickets assigned to a person, by project."""
    return store.loads(context.transaction, user_id)


def successors(
    context: Context, user_id: int, project_ids: Iterable[int], search_text: str
) -> list[StoredPerson]:
    """Return the people with a matching name who could take over in all of the projects, by name."""
    everybody = people_store.of_account(context.transaction)
    able = {person.id for person in everybody} - {user_id}
    for project_id in project_ids:
        able &= people_store.worker_ids(context.transaction, project_id)
    candidates = (person for person in everybody if person.id in able)
    return people.by_name(having_words(candidates, lambda person: person.name, search_text))


def remove_member(context: Context, params: Params) -> None:
    """End a membership of the project, possibly one's own; it can be restored for seven days.

    The member's open tickets, and new tickets that would be assigned to them by default, go to the successor
    named by ``successor_id``. Without a successor the open tickets stay as they are, and new ones are
    assigned to nobody. Raises NotFound, or Invalid for a successor who does not work in the project.
    """
    user_id = memberships.get(context, params).user_id or 0
    successor_id = _successor(params, user_id)
    former = store.read_roles(context.transaction, user_id, context.project_id)
    if successor_id:
        _hand_over([context], user_id, successor_id, former)
    people_store.leave_project(context.transaction, context.project_id, user_id)
    _keep(context, user_id, successor_id, former, context.project_id)
    events.record(context, Type.MEMBER_REMOVED, user_id)


def remove_person(context: Context, params: Params) -> None:
    """Remove a person from the account and its projects; they can be restored for seven days.

    Their tokens, feeds, sessions and second factors end; what they wrote stays, and so does their login. A
    successor gets their tickets as in ``remove_member``, except those of archived projects. Raises NotFound,
    Forbidden if only an owner may do this, Conflict if the account would be left without an administrator,
    Invalid for a successor who does not work in all of the projects.
    """
    person = administration.one(context, params.ids["id"])
    roles.check_owner_change(context, person)
    administration.check_other_administrator(context, person)
    successor_id = _successor(params, person.id)
    former = store.read_roles(context.transaction, person.id)
    if successor_id:
        _hand_over(_concerned(context, person.id, former), person.id, successor_id, former)
    people_store.leave_account(context.transaction, person.id)
    account_logins.note_removal(context.transaction, person.id)
    tokens.revoke_all(context.transaction, person.id)
    feeds.remove_all(context.transaction, person.id)
    factors.remove_all(context.transaction, person.id)
    sessions.end_here(context.transaction, person.id)
    _keep(context, person.id, successor_id, former)
    events.record(context, Type.PERSON_REMOVED, person.id)


def _successor(params: Params, user_id: int) -> int | None:
    successor_id = whole_number("Successor", params.extra_params.get("successor_id")) or None
    if successor_id == user_id:
        raise Invalid("Successor is the person who is removed")
    return successor_id


def _concerned(context: Context, user_id: int, former: FormerRoles) -> list[Context]:
    """Enter the projects in which something is reassigned; all of them are locked before anything else."""
    loaded = {load.project_id for load in store.loads(context.transaction, user_id)}
    return _entered(context, loaded.union(former.defaults))


def _entered(context: Context, project_ids: Iterable[int]) -> list[Context]:
    """Enter the given projects that exist and are not archived."""
    contexts: list[Context] = []
    for project_id in sorted(set(project_ids)):
        try:
            inside = access.enter(context, project_id, Permission.UNARCHIVE, writes=True)
        except NotFound:
            continue
        if not inside.project.archived:
            contexts.append(inside)
    return contexts


def _hand_over(visits: list[Context], user_id: int, successor_id: int, former: FormerRoles) -> None:
    """Reassign a person's responsibilities to a successor, and store how to undo that."""
    for inside in visits:
        if not people_store.is_worker(inside.transaction, inside.project_id, successor_id):
            raise Invalid(f"Successor is not a member of the project {inside.project.name}")
    for inside in visits:
        store.reassign_default(inside.transaction, user_id, successor_id, inside.project_id)
    for inside in visits:
        edit = bulk_edits.reassign(inside, user_id, successor_id)
        if edit:
            former.bulk_edits.append((inside.project_id, edit.id or 0))
            former.reassigned += edit.count


def _keep(
    context: Context, user_id: int, successor_id: int | None, former: FormerRoles, project_id: int = 0
) -> None:
    store.add(
        context.transaction,
        user_id,
        former,
        creator_id=context.author.user_id,
        successor_id=successor_id,
        project_id=project_id,
    )


def restore_member(context: Context, params: Params) -> Membership:
    """Restore a member who was removed from the project in the last seven days.

    Tickets that went to a successor are returned, unless they have changed since. The membership of a current
    member is returned unchanged. Raises NotFound.
    """
    removed = {
        each.membership_id: each.user_id for each in store.list_all(context.transaction, context.project_id)
    }
    user_id = removed.get(params.ids["id"])
    removal = store.pop(context.transaction, user_id, context.project_id) if user_id else None
    if user_id and removal:
        store.restore_memberships(context.transaction, user_id, removal.former)
        events.record(context, Type.MEMBER_RESTORED, user_id)
        _hand_back([context], user_id, removal)
    return memberships.get(context, params)


def restore_person(context: Context, params: Params) -> Person:
    """Restore a person who was removed from the account in the last seven days.

    Tickets that went to a successor are returned, unless they have changed since; tokens, feeds,
    sessions and second factors are not restored. A current person of the account is returned unchanged.
    Raises NotFound, Forbidden if only an owner may do this.
    """
    user_id = params.ids["id"]
    removal = store.pop(context.transaction, user_id)
    if removal:
        former = removal.former
        if former.role:
            roles.check(context, former.role)
        entered = _entered(context, {*former.defaults, *(project_id for project_id, _ in former.bulk_edits)})
        store.restore_memberships(context.transaction, user_id, former)
        events.record(context, Type.PERSON_RESTORED, user_id)
        _hand_back(entered, user_id, removal)
    administration.one(context, user_id)
    return administration.get(context, params)


def _hand_back(visits: list[Context], user_id: int, removal: StoredRemoval) -> None:
    """Restore a person's responsibilities in projects that they rejoin."""
    former, edits = removal.former, dict(removal.former.bulk_edits)
    for inside in visits:
        project_id = inside.project_id
        if not people_store.is_worker(inside.transaction, project_id, user_id):
            continue
        if project_id in former.defaults:
            store.restore_default(inside.transaction, user_id, removal.successor_id, project_id)
        if project_id in edits and not bulk_edits.one(inside, edits[project_id]).undone_by:
            bulk_undo.undo(inside, Params(ids={"id": edits[project_id]}))
