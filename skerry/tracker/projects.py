"""Projects: bodies of work with their own tickets, people and states."""

from collections.abc import Iterable

from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.projects import Project
from skerry.resources.tickets import Ticket
from skerry.store import attachments, people
from skerry.store import projects as store
from skerry.text.slugs import permalink
from skerry.text.states import CLOSED_DEFAULT, OPEN_DEFAULT, States, read_states
from skerry.tracker import access, bins, events, finding
from skerry.tracker.events import Type
from skerry.tracker.visit import Ask, Listing, Visit


def listed(visit: Visit, _ask: Ask) -> Listing[Project]:
    """Return the projects visible to the caller.

    Raises Unauthenticated if nobody is signed in and none is public.
    """
    return Listing(Project, access.in_sight(visit, store.seen))


def named(visit: Visit, sought: str) -> list[Project]:
    """Return those whose name contains the words sought, by name, the archived ones last.

    Raises as ``listed`` does.
    """
    found = finding.named(listed(visit, Ask()).records, lambda project: project.name, sought)
    return sorted(found, key=lambda project: project.archived)


def totals(visit: Visit, found: list[Project]) -> dict[int, int]:
    """Return how many tickets each of some projects has, open and closed ones, by its id."""
    return store.tickets_counts(visit.transaction, [project.id or 0 for project in found])


def shown(visit: Visit, _ask: Ask) -> Project:
    """Return the project."""
    return store.whole(visit.transaction, visit.project)


def blank(_visit: Visit, _ask: Ask) -> Project:
    """Return a new project with the defaults that it has when only a name is given."""
    states = read_states(OPEN_DEFAULT, CLOSED_DEFAULT)
    return Project(
        open_states=OPEN_DEFAULT,
        closed_states=CLOSED_DEFAULT,
        open_states_list=states.open_list,
        closed_states_list=states.closed_list,
    )


def create(visit: Visit, ask: Ask) -> Project:
    """Make a project of which the caller is the first member."""
    new = ask.draft_of(Project).over(blank(visit, ask))
    project_id = store.add(
        visit.transaction,
        name=new.name,
        permalink=permalink(new.name),
        archived=int(new.archived),
        public=int(new.public),
        open_states=new.open_states,
        closed_states=new.closed_states,
        open_states_list=new.open_states_list,
        closed_states_list=new.closed_states_list,
    )
    people.join_project(visit.transaction, project_id, visit.author.user_id)
    bins.add_first(visit.transaction, project_id, visit.author.user_id)
    made = again(visit, project_id)
    changes = events.compared(Project(), made)
    events.record(visit, Type.PROJECT_CREATED, project_id, changes=changes, project_id=project_id)
    return made


def update(visit: Visit, ask: Ask) -> Project:
    """Rename a project, show or hide it, archive or revive it.

    Raises Forbidden if it is archived and this does not revive it.
    """
    before = held(visit).project
    after = ask.draft_of(Project).over(before)
    if before.archived and after.archived:
        raise Forbidden("This project is archived")
    store.change(
        visit.transaction,
        visit.project_id,
        name=after.name,
        archived=after.archived,
        public=after.public,
    )
    events.record(visit, Type.PROJECT_UPDATED, before.id, changes=events.compared(before, after))
    return again(visit, visit.project_id)


def held(visit: Visit) -> Visit:
    """Return the context in the project, locked until the end."""
    store.hold(visit.transaction, visit.project_id)
    return visit.inside(again(visit, visit.project_id), member=visit.member)


def delete(visit: Visit, _ask: Ask) -> None:
    """Remove a project with everything in it."""
    attachments.let_go_of_project(visit.transaction, visit.project_id)
    store.remove(visit.transaction, visit.project_id)
    events.record(visit, Type.PROJECT_DELETED, visit.project_id)


def again(visit: Visit, project_id: int) -> Project:
    """Return a project as it is now; raises NotFound."""
    project = store.one(visit.transaction, project_id)
    if project is None:
        raise NotFound
    return project


def states_of(project: Project) -> States:
    """Return a project's states; raises Invalid if they cannot be read."""
    try:
        return read_states(project.open_states or "", project.closed_states or "")
    except ValueError as error:
        raise Invalid(str(error)) from error


def states_of_some(projects: Iterable[Project], some: Iterable[Ticket]) -> dict[int | None, States]:
    """Return the states of those projects in which some tickets are, by the project's id; raises as above.

    Those of all projects may be long, and would be read for each page.
    """
    ids = {ticket.project_id for ticket in some}
    return {project.id: states_of(project) for project in projects if project.id in ids}
