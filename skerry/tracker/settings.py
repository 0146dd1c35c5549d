"""The settings of a project."""

from collections import Counter

from skerry.database.transactions import Transaction
from skerry.errors import Forbidden, Invalid
from skerry.resources.projects import ProjectSettings
from skerry.store import accounts, milestones, projects
from skerry.store import settings as store
from skerry.store import states as state_store
from skerry.text.levels import Levels, LevelsError
from skerry.text.states import States, read_states
from skerry.tracker import access
from skerry.tracker.context import Context, Params
from skerry.tracker.events import events
from skerry.tracker.events.events import Type
from skerry.tracker.mail import reply_addresses
from skerry.tracker.people import people
from skerry.tracker.projects import again, locked
from skerry.tracker.texts import rendering
from skerry.visibility import is_visible
from skerry.wire.drafts import Draft
from skerry.wire.record import UNSET


def get(context: Context, _params: Params) -> ProjectSettings:
    """Return the settings of the project."""
    project = projects.whole(context.transaction, context.project)
    return ProjectSettings(
        archived=project.archived,
        closed_states=project.closed_states or "",
        default_assigned_user_id=project.default_assigned_user_id,
        default_milestone_id=project.default_milestone_id,
        description=project.description or "",
        importance_levels=project.importance_levels or "",
        license=project.license or "",
        mail_address=_mail_address(context),
        mail_from_anyone=store.takes_mail_from_anyone(context.transaction, context.project_id),
        name=project.name,
        open_states=project.open_states or "",
        project_id=project.id,
        public=project.public,
        updated_at=project.updated_at,
    )


def _mail_address(context: Context) -> str:
    """Return the address for opening tickets by mail; empty if this server receives none."""
    host = context.transaction.mail_host
    return reply_addresses.project_address(context.transaction, context.project_id, host)


def lock(transaction: Transaction, params: Params) -> None:
    """Lock the account's people if the request names a default assignee."""
    if params.draft_of(ProjectSettings).get(ProjectSettings.default_assigned_user_id) is not UNSET:
        accounts.lock(transaction)


def update(context: Context, params: Params) -> ProjectSettings:
    """Change the settings of the project.

    Tickets follow a state that moves between open and closed; tickets whose state is removed keep it until
    they are changed. Raises Invalid for an invalid value, Forbidden for a change to an archived project that
    stays archived.
    """
    context = locked(context)
    present = get(context, params)
    draft = params.draft_of(ProjectSettings)
    after = draft.over(present)
    if present.archived and after.archived:
        raise Forbidden(access.ARCHIVED)
    if after == present:
        return present
    states = _states(present, after)
    _check_levels(after)
    _check_defaults(context, present, after)
    _store(context, draft, after, states)
    is_new = (states.open_list, states.closed_list) != (
        context.project.open_states_list,
        context.project.closed_states_list,
    )
    _reclass(context, states, ever=is_new)
    events.record(context, Type.PROJECT_UPDATED, context.project_id, changes=events.compared(present, after))
    return get(context.with_project(again(context, context.project_id)), params)


def _store(context: Context, draft: Draft[ProjectSettings], after: ProjectSettings, states: States) -> None:
    store.change(
        context.transaction,
        context.project_id,
        name=after.name,
        archived=after.archived,
        public=after.public,
        open_states=after.open_states,
        closed_states=after.closed_states,
        importance_levels=after.importance_levels or None,
        default_assigned_user_id=after.default_assigned_user_id,
        default_milestone_id=after.default_milestone_id,
        mail_from_anyone=after.mail_from_anyone,
        # A missing text is None in the project, but empty in its settings.
        description=after.description or None,
        license=after.license or None,
        description_html=rendering.render_sent(
            context, draft.get(ProjectSettings.description), context.project.description_html
        )
        or None,
        open_states_list=states.open_list,
        closed_states_list=states.closed_list,
    )


def _states(present: ProjectSettings, after: ProjectSettings) -> States:
    try:
        states = read_states(after.open_states, after.closed_states)
    except ValueError as error:
        raise Invalid(str(error)) from error
    kept = read_states(present.open_states, present.closed_states)
    if not all(is_visible(name) or kept.find(name) for name in states.names):
        raise Invalid("States can't have a name without a visible character")
    return states


def _check_levels(after: ProjectSettings) -> None:
    try:
        Levels(after.importance_levels)
    except LevelsError as error:
        raise Invalid(str(error)) from error


def _check_defaults(context: Context, present: ProjectSettings, after: ProjectSettings) -> None:
    assignee, milestone = after.default_assigned_user_id, after.default_milestone_id
    if assignee != present.default_assigned_user_id:
        people.check_assignee(context.transaction, context.project, assignee, by_default=True)
    if milestone is not None and not milestones.exists(context.transaction, context.project_id, milestone):
        raise Invalid("Default milestone is not in this project")


def _reclass(context: Context, states: States, *, ever: bool) -> None:
    """Update the states of tickets, and the counts, to the project's current settings.

    With ``ever``, the spelling in their versions is updated too.
    """
    opened = Counter[int | None]()
    moves = [
        (was, state)
        for was in store.stored_states(context.transaction, context.project_id, ever=ever)
        if (state := states.find(was.name)) and (state.name, state.closed) != (was.name, was.closed)
    ]
    if moves:
        # All of them together, in the order of their numbers, in which tickets are always locked.
        store.lock(context.transaction, context.project_id, [was.name for was, _ in moves])
    for was, state in moves:
        step = int(was.closed) - int(state.closed)
        for milestone_id in store.reclass(context.transaction, context.project_id, was, state):
            opened[milestone_id] += step
    if opened.total():
        projects.count(context.transaction, context.project_id, open_tickets=opened.total())
    for milestone_id in sorted(each for each, count in opened.items() if each is not None and count):
        count = opened[milestone_id]
        milestones.count(context.transaction, context.project_id, milestone_id, tickets=0, open_tickets=count)
    if moves:
        state_store.COUNTS.recount(context.transaction, context.project_id)
