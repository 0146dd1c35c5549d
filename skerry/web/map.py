"""The map: every address, what it takes to go there, and who answers."""

from skerry.resources.activities import Activity
from skerry.resources.bins import TicketBin
from skerry.resources.bulk_edits import BulkEdit
from skerry.resources.burndowns import BurndownDay
from skerry.resources.changesets import Changeset
from skerry.resources.messages import Comment, Message
from skerry.resources.milestones import Milestone
from skerry.resources.previews import Preview
from skerry.resources.projects import Project
from skerry.resources.settings import ProjectSettings
from skerry.resources.states import State
from skerry.resources.suggestions import Suggestion
from skerry.resources.tags import Tag
from skerry.resources.tickets import Attachment, Ticket, Version
from skerry.tracker import (
    activities,
    administration,
    attachments,
    bins,
    bulk_edits,
    burndowns,
    changesets,
    messages,
    milestones,
    previews,
    projects,
    settings,
    states,
    suggestions,
    tags,
    tickets,
    ticking,
    undoing,
    versions,
)
from skerry.tracker.access import Need
from skerry.web import map_people
from skerry.web.routes import Gives, Line, Parts

PROJECT = "/projects/{project_id}"
SETTINGS = f"{PROJECT}/settings"
TICKETS = f"{PROJECT}/tickets"
TICKET = f"{TICKETS}/{{number}}"
VERSIONS = f"{TICKET}/versions"
VERSION = f"{VERSIONS}/{{version}}"
MESSAGES = f"{PROJECT}/messages"
MESSAGE = f"{MESSAGES}/{{id}}"
COMMENTS = f"{MESSAGE}/comments"
MILESTONES = f"{PROJECT}/milestones"
MILESTONE = f"{MILESTONES}/{{id}}"
BINS = f"{PROJECT}/bins"
BIN = f"{BINS}/{{id}}"
BULK_EDIT = f"{PROJECT}/bulk_edits/{{id}}"
SUGGEST = f"{PROJECT}/query/suggest"
CHANGESETS = f"{PROJECT}/changesets"
CHANGESET = f"{CHANGESETS}/{{revision}}"
ATTACHMENT = "/attachments/{id}/{filename}"

_WATCHERS = ("multiple_watchers", "watching")
_SEARCH = ("q",)
_TYPED = ("q", "caret")
_WHICH = ("state",)


def _milestone(path: str) -> tuple[Line, ...]:
    """Return what can be done at a milestone's address, which has an older, singular form too."""
    return (
        Line("GET", path, milestones.shown, Need.SEE, Milestone),
        Line("PUT", path, milestones.update, Need.WORK, Milestone, draft=Milestone),
        Line("POST", path, milestones.update, Need.WORK, Milestone, draft=Milestone),
        Line("DELETE", path, milestones.delete, Need.WORK, Milestone, Gives.NOTHING),
        Line("PUT", f"{path}/close", milestones.close, Need.WORK, Milestone),
        Line("PUT", f"{path}/open", milestones.reopen, Need.WORK, Milestone),
    )


ROUTES: tuple[Line, ...] = (
    Line("GET", "/projects", projects.listed, Need.OPEN, Project, Gives.LIST),
    Line(
        "POST",
        "/projects",
        projects.create,
        Need.FOUND,
        Project,
        makes="/projects/{id}",
        draft=Project,
        first=administration.hold,
    ),
    Line("GET", "/projects/new", projects.blank, Need.FOUND, Project),
    Line("GET", PROJECT, projects.shown, Need.SEE, Project),
    Line("PUT", PROJECT, projects.update, Need.REVIVE, Project, draft=Project),
    Line("DELETE", PROJECT, projects.delete, Need.REVIVE, Project, Gives.NOTHING),
    Line("GET", SETTINGS, settings.shown, Need.REVIVE, ProjectSettings),
    Line(
        "PUT",
        SETTINGS,
        settings.update,
        Need.REVIVE,
        ProjectSettings,
        draft=ProjectSettings,
        first=settings.hold,
    ),
    Line("GET", "/activity", activities.listed_everywhere, Need.OPEN, Activity, Gives.PAGE, quick=False),
    Line("GET", f"{PROJECT}/activity", activities.listed, Need.SEE, Activity, Gives.PAGE),
    Line("GET", f"{PROJECT}/states", states.listed, Need.SEE, State, Gives.LIST),
    Line("GET", "/tickets", tickets.listed_everywhere, Need.OPEN, Ticket, Gives.PAGE, beside=_SEARCH),
    Line("GET", TICKETS, tickets.listed, Need.SEE, Ticket, Gives.PAGE, beside=_SEARCH),
    Line(
        "POST",
        TICKETS,
        tickets.create,
        Need.SPEAK,
        Ticket,
        makes=TICKET,
        draft=Ticket,
        beside=_WATCHERS,
        files=True,
    ),
    Line("GET", f"{TICKETS}/new", tickets.blank, Need.SPEAK, Ticket),
    Line("GET", TICKET, tickets.shown, Need.SEE, Ticket, parts=Parts(VERSIONS, "version-history")),
    Line(
        "PUT",
        TICKET,
        tickets.update,
        Need.SPEAK,
        Ticket,
        draft=Ticket,
        beside=_WATCHERS,
        files=True,
    ),
    Line("DELETE", TICKET, tickets.delete, Need.WORK, Ticket, Gives.NOTHING),
    Line("GET", VERSIONS, versions.listed, Need.SEE, Version, Gives.PAGE),
    Line("POST", VERSIONS, versions.create, Need.SPEAK, Version, makes=VERSION, draft=Version, files=True),
    Line("GET", VERSION, versions.shown, Need.SEE, Version),
    Line(
        "PUT",
        VERSION,
        versions.update,
        Need.SPEAK,
        Version,
        draft=Version,
        beside=ticking.PARAMETERS,
        ahead=versions.foreseen,
    ),
    Line("DELETE", VERSION, versions.delete, Need.SPEAK, Version, Gives.NOTHING),
    Line("GET", MESSAGES, messages.listed, Need.SEE, Message, Gives.PAGE),
    Line("POST", MESSAGES, messages.create, Need.WORK, Message, makes=MESSAGE, draft=Message),
    Line("GET", f"{MESSAGES}/new", messages.blank, Need.WORK, Message),
    Line("GET", MESSAGE, messages.shown, Need.SEE, Message, parts=Parts(COMMENTS, "replies")),
    *(
        Line(
            verb,
            MESSAGE,
            messages.update,
            Need.WORK,
            Message,
            draft=Message,
            beside=ticking.PARAMETERS,
            ahead=messages.foreseen,
        )
        for verb in ("PUT", "POST")
    ),
    Line("DELETE", MESSAGE, messages.delete, Need.WORK, Message, Gives.NOTHING),
    Line("GET", COMMENTS, messages.commented, Need.SEE, Message, Gives.PAGE),
    Line("POST", COMMENTS, messages.comment, Need.SPEAK, Message, makes=MESSAGE, draft=Comment),
    Line("GET", "/milestones", milestones.listed_everywhere, Need.OPEN, Milestone, Gives.PAGE, beside=_WHICH),
    Line("GET", MILESTONES, milestones.listed, Need.SEE, Milestone, Gives.PAGE, beside=_WHICH),
    Line("POST", MILESTONES, milestones.create, Need.WORK, Milestone, makes=MILESTONE, draft=Milestone),
    Line("GET", f"{MILESTONES}/new", milestones.blank, Need.WORK, Milestone),
    *_milestone(MILESTONE),
    *_milestone(f"{PROJECT}/milestone/{{id}}"),
    Line("GET", f"{MILESTONE}/burndown", burndowns.listed, Need.SEE, BurndownDay, Gives.LIST, quick=False),
    Line("GET", ATTACHMENT, attachments.found, Need.OPEN, Attachment, Gives.FILE),
    Line("GET", BINS, bins.listed, Need.SEE, TicketBin, Gives.LIST, quick=False),
    Line("POST", BINS, bins.create, Need.WORK, TicketBin, makes=BIN, draft=TicketBin),
    Line("GET", f"{BINS}/new", bins.blank, Need.WORK, TicketBin),
    Line("GET", BIN, bins.shown, Need.SEE, TicketBin),
    Line("PUT", BIN, bins.update, Need.WORK, TicketBin, draft=TicketBin),
    Line("POST", BIN, bins.update, Need.WORK, TicketBin, draft=TicketBin),
    Line("DELETE", BIN, bins.delete, Need.WORK, TicketBin, Gives.NOTHING),
    Line(
        "POST",
        f"{PROJECT}/bulk_edit",
        bulk_edits.create,
        Need.WORK,
        BulkEdit,
        makes=BULK_EDIT,
        draft=BulkEdit,
        tries="dry_run",
    ),
    Line("GET", BULK_EDIT, bulk_edits.shown, Need.SEE, BulkEdit),
    Line("POST", f"{BULK_EDIT}/undo", undoing.undo, Need.WORK, BulkEdit, makes=BULK_EDIT),
    Line("GET", SUGGEST, suggestions.listed, Need.SEE, Suggestion, Gives.LIST, beside=_TYPED, quick=False),
    Line("POST", f"{PROJECT}/preview", previews.shown, Need.SPEAK, Preview, draft=Preview, shows=True),
    Line("GET", f"{PROJECT}/tags", tags.listed, Need.SEE, Tag, Gives.LIST),
    Line(
        "GET",
        "/query/suggest",
        suggestions.listed_everywhere,
        Need.OPEN,
        Suggestion,
        Gives.LIST,
        beside=_TYPED,
    ),
    Line("GET", CHANGESETS, changesets.listed, Need.SEE, Changeset, Gives.PAGE),
    Line(
        "POST",
        CHANGESETS,
        changesets.create,
        Need.WORK,
        Changeset,
        makes=CHANGESET,
        draft=Changeset,
        ahead=changesets.foreseen,
    ),
    Line("GET", f"{CHANGESETS}/new", changesets.blank, Need.WORK, Changeset),
    Line("GET", CHANGESET, changesets.shown, Need.SEE, Changeset),
    Line("GET", f"{CHANGESET}/tickets", changesets.tickets, Need.SEE, Ticket, Gives.LIST),
    Line("DELETE", CHANGESET, changesets.delete, Need.WORK, Changeset, Gives.NOTHING),
    *map_people.ROUTES,
)
