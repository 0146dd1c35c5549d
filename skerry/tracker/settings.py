"""Settings of projects: what its members decide about one."""

from skerry.errors import Forbidden, Invalid
from skerry.resources.settings import ProjectSettings
from skerry.store import accounts, milestones, projects
from skerry.store import settings as store
from skerry.store import states as state_store
from skerry.store.transactions import Transaction
from skerry.text.states import States, read_states
from skerry.tracker import events, people, rendering
from skerry.tracker.events import Type
from skerry.tracker.projects import again, held
from skerry.tracker.visit import Ask, Visit
from skerry.wire.record import UNSET


def shown(visit: Visit, _ask: Ask) -> ProjectSettings:
    """Return the settings of the project."""
    project = projects.whole(visit.transaction, visit.project)
    return ProjectSettings(
        archived=project.archived,
        closed_states=project.closed_states or "",
        default_assigned_user_id=project.default_assigned_user_id,
        default_milestone_id=project.default_milestone_id,
        description=project.description or "",
        license=project.license or "",
        name=project.name,
        open_states=project.open_states or "",
        project_id=project.id,
        public=project.public,
        updated_at=project.updated_at,
    )


def hold(transaction: Transaction, ask: Ask) -> None:
    """Keep others from taking anybody out of the account who is to get new tickets."""
    if ask.draft_of(ProjectSettings).get(ProjectSettings.default_assigned_user_id) is not UNSET:
        accounts.hold(transaction)


def update(visit: Visit, ask: Ask) -> ProjectSettings:
    """Change the settings of the project.

    Tickets whose state moves between open and closed move with it; those whose state is gone keep
    it until they are changed. Raises Forbidden if the project is archived and this does not revive
    it, Invalid if a value cannot be used.
    """
    visit = held(visit)
    present = shown(visit, ask)
    draft = ask.draft_of(ProjectSettings)
    after = draft.over(present)
    if present.archived and after.archived:
        raise Forbidden("This project is archived")
    states = _states(after)
    _check_defaults(visit, present, after)
    store.change(
        visit.transaction,
        visit.project_id,
        name=after.name,
        archived=after.archived,
        public=after.public,
        open_states=after.open_states,
        closed_states=after.closed_states,
        default_assigned_user_id=after.default_assigned_user_id,
        default_milestone_id=after.default_milestone_id,
        # A text that a project lacks is nothing there, and empty in its settings.
        description=after.description or None,
        license=after.license or None,
        description_html=rendering.render_sent(
            visit, draft.get(ProjectSettings.description), visit.project.description_html
        )
        or None,
        open_states_list=states.open_list,
        closed_states_list=states.closed_list,
    )
    is_new = (states.open_list, states.closed_list) != (
        visit.project.open_states_list,
        visit.project.closed_states_list,
    )
    _reclass(visit, states, ever=is_new)
    events.record(visit, Type.PROJECT_UPDATED, visit.project_id, changes=events.compared(present, after))
    return shown(visit.inside(again(visit, visit.project_id), member=visit.member), ask)


def _states(after: ProjectSettings) -> States:
    try:
        return read_states(after.open_states, after.closed_states)
    except ValueError as error:
        raise Invalid(str(error)) from error


def _check_defaults(visit: Visit, present: ProjectSettings, after: ProjectSettings) -> None:
    assignee, milestone = after.default_assigned_user_id, after.default_milestone_id
    if assignee != present.default_assigned_user_id:
        people.check_assignee(visit.transaction, visit.project, assignee, by_default=True)
    if milestone is not None and not milestones.exists(visit.transaction, visit.project_id, milestone):
        raise Invalid("Default milestone is not one of this project")


def _reclass(visit: Visit, states: States, *, ever: bool) -> None:
    """Update the states of tickets, and the counts, to the project's current settings.

    States that they ``ever`` had are spelt so too in their versions.
    """
    opened = 0
    by_milestone: dict[int, int] = {}
    moves = [
        (was, state)
        for was in store.states_held(visit.transaction, visit.project_id, ever=ever)
        if (state := states.find(was.name)) and (state.name, state.closed) != (was.name, was.closed)
    ]
    if moves:
        # All of them at once and by number, as everybody goes who changes several.
        store.hold(visit.transaction, visit.project_id, [was.name for was, _ in moves])
    for was, state in moves:
        step = int(was.closed) - int(state.closed)
        for milestone_id in store.reclass(visit.transaction, visit.project_id, was, state):
            opened += step
            if milestone_id is not None:
                by_milestone[milestone_id] = by_milestone.get(milestone_id, 0) + step
    if opened:
        projects.count(visit.transaction, visit.project_id, open_tickets=opened)
    for milestone_id, steps in sorted(by_milestone.items()):
        if steps:
            milestones.count(visit.transaction, visit.project_id, milestone_id, tickets=0, open_tickets=steps)
    if moves:
        state_store.KEPT.recount(visit.transaction, visit.project_id)
