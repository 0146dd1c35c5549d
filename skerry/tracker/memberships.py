"""Memberships: who belongs to the account and to its projects."""

from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.memberships import Membership
from skerry.resources.projects import Project
from skerry.store import memberships as store
from skerry.store import people as people_store
from skerry.store.person import Person
from skerry.tracker import events, finding, people, projects, users
from skerry.tracker.events import Type
from skerry.tracker.visit import Ask, Listing, Visit


def of_user(visit: Visit, ask: Ask) -> Listing[Membership]:
    """Return a person's memberships, the account first; a project's token shows that project alone.

    Raises NotFound for somebody whom the caller does not see, Forbidden for anybody but the caller and
    administrators of the account.
    """
    caller, user_id = visit.author, ask.ids["id"]
    users.seen(visit, user_id)
    only = caller.token_project
    if user_id != caller.user_id and (only or not caller.administrator):
        raise Forbidden("Only the person themselves and administrators may see this")
    in_account = [] if only else store.in_account(visit.transaction, user_id)
    return Listing(Membership, [*in_account, *store.in_projects(visit.transaction, user_id, only=only)])


def of_project(visit: Visit, _ask: Ask) -> Listing[Membership]:
    """Return the members of the project."""
    return Listing(Membership, store.of_project(visit.transaction, visit.project_id))


def named(visit: Visit, sought: str) -> list[Membership]:
    """Return those whose name contains the words sought, by name."""
    everybody = store.of_project(visit.transaction, visit.project_id)
    return sorted(finding.named(everybody, _name, sought), key=_place)


def _place(membership: Membership) -> tuple[str, int]:
    return _name(membership).casefold(), membership.user_id or 0


def _name(membership: Membership) -> str:
    return membership.user.name if membership.user else ""


def shown(visit: Visit, ask: Ask) -> Membership:
    """Return one membership of the project; raises NotFound."""
    for membership in store.of_project(visit.transaction, visit.project_id):
        if membership.id == ask.ids["id"]:
            return membership
    raise NotFound("There is no such membership in this project")


def create(visit: Visit, ask: Ask) -> Membership:
    """Make somebody of the account a member of the project.

    For a member already, the membership is given as it is. Raises Invalid for anybody whom
    the caller does not see in the account.
    """
    user_id = ask.draft_of(Membership).new.user_id or 0
    if user_id not in {person.id for person in _reachable(visit)}:
        raise Invalid("User is not in this account")
    if people_store.join_project(visit.transaction, visit.project_id, user_id):
        events.record(visit, Type.MEMBER_ADDED, user_id)
    found = store.of_project(visit.transaction, visit.project_id)
    return next(membership for membership in found if membership.user_id == user_id)


def joinable(visit: Visit, sought: str) -> list[Person]:
    """Return the people with such a name who could become members of the current project, by name."""
    members = {each.user_id for each in store.of_project(visit.transaction, visit.project_id)}
    others = (person for person in _reachable(visit) if person.id not in members)
    return people.by_name(finding.named(others, lambda person: person.name, sought))


def _reachable(visit: Visit) -> list[Person]:
    """Return the people visible to the caller; with a project's token, its members."""
    if visit.author.token_project:
        return people_store.workers(visit.transaction, visit.author.token_project)
    return people_store.of_account(visit.transaction)


def shared(visit: Visit, user_id: int) -> list[Project]:
    """Return the projects of which somebody is a member and which the caller sees, by name."""
    ids = store.joined_ids(visit.transaction, user_id)
    return [project for project in projects.listed(visit, Ask()).records if project.id in ids]
