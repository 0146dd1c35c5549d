"""Moving tickets: the target project, and the values that fit there."""

from collections.abc import Iterable

from skerry.errors import Invalid
from skerry.store import projects
from skerry.text.commands import Command
from skerry.text.queries.query_values import as_written
from skerry.text.words import folded
from skerry.tracker import access
from skerry.tracker.access import Permission
from skerry.tracker.changes.commands import Change
from skerry.tracker.changes.name_resolver import NameResolver
from skerry.tracker.changes.ticket_values import Values
from skerry.tracker.context import Context
from skerry.tracker.people import people
from skerry.tracker.projects import states_of
from skerry.wire.record import changed

COMMAND = "project"


def target(context: Context, commands: Iterable[Command]) -> Context | None:
    """Return the context in the target project, or None if the tickets stay.

    Raises Invalid if the project is not visible to the caller, Forbidden if they are not a member of it.
    """
    named = next((str(command.value) for command in commands if command.key == COMMAND), None)
    if named is None:
        return None
    project_id = _project_id(context, named)
    if project_id == context.project_id:
        raise Invalid("The tickets are already in this project")
    return access.enter(context, project_id, Permission.CONTRIBUTE, writes=True)


def _project_id(context: Context, named: str) -> int:
    """Return the id of a project, given by its id, or else by its name or permalink."""
    seen, wanted = projects.visible(context.transaction, access.visibility(context.author)), folded(named)
    project_ids = [project.id for project in seen if str(project.id) == named] or [
        project.id for project in seen if wanted in (folded(project.name), project.permalink)
    ]
    if not project_ids:
        raise Invalid(f"There is no project {as_written(named)}")
    if len(project_ids) > 1:
        raise Invalid(f"Several projects are called {as_written(named)}; use the id")
    return project_ids[0] or 0


def fitting(context: Context) -> Change:
    """Return the change that fits tickets into the current project.

    They lose their milestone. An unknown state becomes the default state or the first closed one, and an
    assignee who does not work in the project is removed.
    """
    states, workers = states_of(context.project), NameResolver(context).workers

    def change(values: Values) -> Values:
        state = states.find(values.state or "") or (states.first_closed if values.closed else states.default)
        assignee = values.assigned_user_id if values.assigned_user_id in workers else None
        return changed(
            values, state=state.name, closed=state.closed, assigned_user_id=assignee, milestone_id=None
        )

    return change


def seeing(context: Context) -> set[int]:
    """Return the ids of the people who may watch tickets in the current project."""
    return people.viewer_ids(context.transaction, context.project)
