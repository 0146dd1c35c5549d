"""Memberships of the account and of its projects."""

from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.people import Membership
from skerry.resources.projects import Project
from skerry.store.people import memberships as store
from skerry.store.people import people as people_store
from skerry.store.people.person import StoredPerson
from skerry.text.words import having_words
from skerry.tracker import projects
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.people import people, users


def of_user(context: Context, params: Params) -> ResultPage[Membership]:
    """Return a person's memberships, the account first; with a project's token, only that project.

    Raises NotFound for a person not visible to the caller, Forbidden for anybody but the person and
    administrators of the account.
    """
    principal, user_id = context.author, params.ids["id"]
    users.one_visible(context, user_id)
    only = principal.token_project
    if user_id != principal.user_id and not principal.administers:
        raise Forbidden("Only the person themselves and administrators may see this")
    in_account = [] if only else store.of_account(context.transaction, user_id)
    return ResultPage(Membership, [*in_account, *store.in_projects(context.transaction, user_id, only=only)])


def of_project(context: Context, _params: Params) -> ResultPage[Membership]:
    """Return the members of the project."""
    return ResultPage(Membership, store.of_project(context.transaction, context.project_id))


def is_shared(context: Context) -> bool:
    """Return whether the project has more than one member."""
    return store.is_shared(context.transaction, context.project_id)


def filter_by_name(context: Context, search_text: str) -> list[Membership]:
    """Return the memberships whose name contains the searched words, by name."""
    everybody = store.of_project(context.transaction, context.project_id)
    return sorted(having_words(everybody, _name, search_text), key=_place)


def _place(membership: Membership) -> tuple[str, int]:
    return _name(membership).casefold(), membership.user_id or 0


def _name(membership: Membership) -> str:
    return membership.user.name if membership.user else ""


def get(context: Context, params: Params) -> Membership:
    """Return one membership of the project; raises NotFound."""
    for membership in store.of_project(context.transaction, context.project_id):
        if membership.id == params.ids["id"]:
            return membership
    raise NotFound("There is no such membership in this project")


def create(context: Context, params: Params) -> Membership:
    """Make a person of the account a member of the project.

    An existing membership is returned unchanged. Raises Invalid for a person of the account who is not
    visible to the caller.
    """
    user_id = params.draft_of(Membership).new.user_id or 0
    if user_id not in {person.id for person in _reachable(context)}:
        raise Invalid("User is not in this account")
    if people_store.join_project(context.transaction, context.project_id, user_id):
        events.record(context, Type.MEMBER_ADDED, user_id)
    members = store.of_project(context.transaction, context.project_id)
    return next(membership for membership in members if membership.user_id == user_id)


def joinable(context: Context, search_text: str) -> list[StoredPerson]:
    """Return the people with a matching name who could join the current project, by name."""
    members = {each.user_id for each in store.of_project(context.transaction, context.project_id)}
    others = (person for person in _reachable(context) if person.id not in members)
    return people.by_name(having_words(others, lambda person: person.name, search_text))


def _reachable(context: Context) -> list[StoredPerson]:
    """Return the people visible to the caller; with a project's token, its members."""
    if context.author.token_project:
        return people_store.workers(context.transaction, context.author.token_project)
    return people_store.of_account(context.transaction)


def shared(context: Context, user_id: int) -> list[Project]:
    """Return the projects of a person that are visible to the caller, by name."""
    ids = store.joined_ids(context.transaction, user_id)
    return [project for project in projects.list_all(context, Params()).records if project.id in ids]
