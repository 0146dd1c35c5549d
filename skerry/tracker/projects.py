"""Projects, each with its own tickets, people and states."""

from collections.abc import Iterable

from skerry.errors import Forbidden, Invalid, NotFound
from skerry.resources.projects import Project
from skerry.resources.tickets import Ticket
from skerry.store import attachments, project_removals
from skerry.store import projects as store
from skerry.store.people import people
from skerry.text.levels import DEFAULT, Levels, read_levels
from skerry.text.project_words import NamedProject
from skerry.text.slugs import permalink
from skerry.text.states import CLOSED_DEFAULT, OPEN_DEFAULT, States, read_states
from skerry.text.words import having_words
from skerry.tracker import access, bins
from skerry.tracker.context import Context, Params, ResultPage
from skerry.tracker.events import events
from skerry.tracker.events.events import Type


def list_all(context: Context, _params: Params) -> ResultPage[Project]:
    """Return the projects visible to the caller.

    Raises Unauthenticated if nobody is signed in and none is public.
    """
    return ResultPage(Project, access.in_visible_projects(context, store.visible))


def names(context: Context) -> dict[int | None, str]:
    """Return the names of the projects visible to the caller, by id; raises as ``list_all`` does."""
    return {project.id: project.name for project in list_all(context, Params()).records}


def filter_by_name(context: Context, search_text: str) -> list[Project]:
    """Return the projects whose name contains the searched words, by name, archived ones last.

    Raises as ``list_all`` does.
    """
    projects = having_words(list_all(context, Params()).records, lambda project: project.name, search_text)
    return sorted(projects, key=lambda project: project.archived)


def first_names(context: Context, at_most: int) -> list[NamedProject]:
    """Return the names of the first projects visible to the caller, by name, without archived ones."""
    return store.first_names(context.transaction, access.visibility(context.principal), at_most)


def totals(context: Context, projects: list[Project]) -> dict[int, int]:
    """Return the number of open and closed tickets of each project, by its id."""
    return store.tickets_counts(context.transaction, access.ids_of(projects))


def get(context: Context, _params: Params) -> Project:
    """Return the project."""
    return store.whole(context.transaction, context.project)


def new(_context: Context, _params: Params) -> Project:
    """Return a new project with its defaults."""
    states = read_states(OPEN_DEFAULT, CLOSED_DEFAULT)
    return Project(
        open_states=OPEN_DEFAULT,
        closed_states=CLOSED_DEFAULT,
        importance_levels=DEFAULT,
        open_states_list=states.open_list,
        closed_states_list=states.closed_list,
    )


def create(context: Context, params: Params) -> Project:
    """Create a project with the caller as its first member."""
    created = params.draft_of(Project).over(new(context, params))
    project_id = store.add(
        context.transaction,
        name=created.name,
        permalink=permalink(created.name),
        archived=int(created.archived),
        public=int(created.public),
        open_states=created.open_states,
        closed_states=created.closed_states,
        importance_levels=created.importance_levels,
        open_states_list=created.open_states_list,
        closed_states_list=created.closed_states_list,
    )
    people.join_project(context.transaction, project_id, context.author.user_id)
    bins.add_first(context.transaction, project_id, context.author.user_id)
    made = again(context, project_id)
    changes = events.compared(Project(), made)
    events.record(context, Type.PROJECT_CREATED, project_id, changes=changes, project_id=project_id)
    return made


def update(context: Context, params: Params) -> Project:
    """Rename a project, make it public or private, archive or unarchive it.

    Raises Forbidden for a change to an archived project that stays archived.
    """
    before = locked(context).project
    after = params.draft_of(Project).over(before)
    if before.archived and after.archived:
        raise Forbidden(access.ARCHIVED)
    if after == before:
        return before
    store.change(
        context.transaction, context.project_id, name=after.name, archived=after.archived, public=after.public
    )
    events.record(context, Type.PROJECT_UPDATED, before.id, changes=events.compared(before, after))
    return again(context, context.project_id)


def locked(context: Context) -> Context:
    """Return the context in the project, which is locked until the end of the transaction."""
    store.lock(context.transaction, context.project_id)
    return context.with_project(again(context, context.project_id))


def delete(context: Context, _params: Params) -> None:
    """Delete a project with everything in it."""
    attachments.release_project_files(context.transaction, context.project_id)
    project_removals.remove(context.transaction, context.project_id)
    events.record(context, Type.PROJECT_DELETED, context.project_id)


def again(context: Context, project_id: int) -> Project:
    """Read a project again, with its present values; raises NotFound."""
    project = store.one(context.transaction, project_id)
    if project is None:
        raise NotFound
    return project


def states_of(project: Project) -> States:
    """Return a project's states; raises Invalid if they are malformed."""
    try:
        return read_states(project.open_states or "", project.closed_states or "")
    except ValueError as error:
        raise Invalid(str(error)) from error


def levels_of(project: Project) -> Levels:
    """Return a project's levels of importance."""
    return read_levels(project.importance_levels)


def states_of_some(projects: Iterable[Project], some: Iterable[Ticket]) -> dict[int | None, States]:
    """Return the states of the projects of some tickets, by project id; raises as ``states_of`` does.

    Reading the states of all projects for each page would take too long.
    """
    ids = {ticket.project_id for ticket in some}
    return {project.id: states_of(project) for project in projects if project.id in ids}
