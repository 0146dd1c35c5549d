"""The map: every address, what it takes to go there, and who answers."""

from skerry.resources.accounts import Account
from skerry.resources.activities import Activity
from skerry.resources.bins import TicketBin
from skerry.resources.bulk_edits import BulkEdit
from skerry.resources.burndowns import BurndownDay
from skerry.resources.changesets import Changeset
from skerry.resources.health import Health
from skerry.resources.invitations import Invitation, Welcome
from skerry.resources.memberships import Membership
from skerry.resources.messages import Comment, Message
from skerry.resources.milestones import Milestone
from skerry.resources.passwords import Password
from skerry.resources.people import Person
from skerry.resources.previews import Preview
from skerry.resources.projects import Project
from skerry.resources.sessions import Session
from skerry.resources.set_ups import SetUp
from skerry.resources.settings import ProjectSettings
from skerry.resources.states import State
from skerry.resources.suggestions import Suggestion
from skerry.resources.tags import Tag
from skerry.resources.tickets import Attachment, Ticket, Version
from skerry.resources.tokens import Token
from skerry.resources.users import User
from skerry.tracker import (
    activities,
    administration,
    attachments,
    avatars,
    bins,
    bulk_edits,
    burndowns,
    changesets,
    health,
    invitations,
    memberships,
    messages,
    milestones,
    passwords,
    previews,
    projects,
    sessions,
    set_ups,
    settings,
    states,
    suggestions,
    tags,
    tickets,
    tokens,
    undoing,
    users,
    versions,
)
from skerry.tracker.access import Need
from skerry.web.routes import Gives, Line

PROJECT = "/projects/{project_id}"
SETTINGS = f"{PROJECT}/settings"
TICKETS = f"{PROJECT}/tickets"
TICKET = f"{TICKETS}/{{number}}"
VERSIONS = f"{TICKET}/versions"
VERSION = f"{VERSIONS}/{{version}}"
MESSAGES = f"{PROJECT}/messages"
MESSAGE = f"{MESSAGES}/{{id}}"
MILESTONES = f"{PROJECT}/milestones"
MILESTONE = f"{MILESTONES}/{{id}}"
BINS = f"{PROJECT}/bins"
BIN = f"{BINS}/{{id}}"
BULK_EDIT = f"{PROJECT}/bulk_edits/{{id}}"
SUGGEST = f"{PROJECT}/query/suggest"
CHANGESETS = f"{PROJECT}/changesets"
CHANGESET = f"{CHANGESETS}/{{revision}}"
ATTACHMENT = "/attachments/{id}/{filename}"
MEMBERSHIPS = f"{PROJECT}/memberships"
MEMBERSHIP = f"{MEMBERSHIPS}/{{id}}"
AVATAR = "/avatars/{code}"
OWN_AVATAR = "/profile/avatar"
USER = "/users/{id}"
TOKENS = "/profile/tokens"
TOKEN = f"{TOKENS}/{{id}}"
SESSIONS = "/profile/sessions"
ACCOUNT = "/account"
PEOPLE = "/people"
PERSON = f"{PEOPLE}/{{id}}"
INVITATIONS = "/invitations"
INVITATION = f"{INVITATIONS}/{{id}}"
WELCOME = "/welcome/{code}"
SET_UP = "/set-up/{code}"

_WATCHERS = ("multiple_watchers", "watching")
_SEARCH = ("q",)
_TYPED = ("q", "caret")
_WHICH = ("state",)
_HOLD = administration.hold


def _milestone(path: str) -> tuple[Line, ...]:
    """Give what can be done at a milestone's address, which has an older, singular form too."""
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
        first=_HOLD,
    ),
    Line("GET", "/projects/new", projects.blank, Need.FOUND, Project),
    Line("GET", PROJECT, projects.shown, Need.SEE, Project),
    Line("PUT", PROJECT, projects.update, Need.REVIVE, Project, draft=Project),
    Line("DELETE", PROJECT, projects.delete, Need.WORK, Project, Gives.NOTHING),
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
    Line("GET", "/activity", activities.listed_everywhere, Need.OPEN, Activity, Gives.PAGE),
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
        first=tickets.expect_create,
    ),
    Line("GET", f"{TICKETS}/new", tickets.blank, Need.SPEAK, Ticket),
    Line("GET", TICKET, tickets.shown, Need.SEE, Ticket),
    Line(
        "PUT",
        TICKET,
        tickets.update,
        Need.SPEAK,
        Ticket,
        draft=Ticket,
        beside=_WATCHERS,
        files=True,
        first=tickets.expect_update,
    ),
    Line("DELETE", TICKET, tickets.delete, Need.WORK, Ticket, Gives.NOTHING),
    Line("GET", VERSIONS, versions.listed, Need.SEE, Version, Gives.LIST),
    Line("POST", VERSIONS, versions.create, Need.SPEAK, Version, makes=VERSION, draft=Version, files=True),
    Line("GET", VERSION, versions.shown, Need.SEE, Version),
    Line("PUT", VERSION, versions.update, Need.SPEAK, Version, draft=Version),
    Line("DELETE", VERSION, versions.delete, Need.SPEAK, Version, Gives.NOTHING),
    Line("GET", MESSAGES, messages.listed, Need.SEE, Message, Gives.PAGE),
    Line("POST", MESSAGES, messages.create, Need.WORK, Message, makes=MESSAGE, draft=Message),
    Line("GET", f"{MESSAGES}/new", messages.blank, Need.WORK, Message),
    Line("GET", MESSAGE, messages.shown, Need.SEE, Message),
    Line("PUT", MESSAGE, messages.update, Need.WORK, Message, draft=Message),
    Line("POST", MESSAGE, messages.update, Need.WORK, Message, draft=Message),
    Line("DELETE", MESSAGE, messages.delete, Need.WORK, Message, Gives.NOTHING),
    Line("POST", f"{MESSAGE}/comments", messages.comment, Need.SPEAK, Message, makes=MESSAGE, draft=Comment),
    Line("GET", "/milestones", milestones.listed_everywhere, Need.OPEN, Milestone, Gives.PAGE, beside=_WHICH),
    Line("GET", MILESTONES, milestones.listed, Need.SEE, Milestone, Gives.PAGE, beside=_WHICH),
    Line("POST", MILESTONES, milestones.create, Need.WORK, Milestone, makes=MILESTONE, draft=Milestone),
    Line("GET", f"{MILESTONES}/new", milestones.blank, Need.WORK, Milestone),
    *_milestone(MILESTONE),
    *_milestone(f"{PROJECT}/milestone/{{id}}"),
    Line("GET", f"{MILESTONE}/burndown", burndowns.listed, Need.SEE, BurndownDay, Gives.LIST),
    Line("GET", ATTACHMENT, attachments.found, Need.OPEN, Attachment, Gives.FILE),
    Line("GET", BINS, bins.listed, Need.SEE, TicketBin, Gives.LIST),
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
    Line("GET", SUGGEST, suggestions.listed, Need.SEE, Suggestion, Gives.LIST, beside=_TYPED),
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
    Line("GET", USER, users.shown, Need.KNOWN, User),
    Line("POST", USER, users.update, Need.KNOWN, User, draft=User),
    Line("PUT", USER, users.update, Need.KNOWN, User, draft=User),
    Line("GET", "/profile", users.profile, Need.KNOWN, User),
    Line("POST", "/profile", users.update_profile, Need.KNOWN, User, draft=User),
    Line("PUT", "/profile", users.update_profile, Need.KNOWN, User, draft=User),
    Line("PUT", OWN_AVATAR, avatars.replace, Need.KNOWN, User, files=True),
    Line("DELETE", OWN_AVATAR, avatars.remove, Need.KNOWN, User, Gives.NOTHING),
    Line("GET", AVATAR, avatars.found, Need.OPEN, User, Gives.FILE),
    Line("GET", ACCOUNT, administration.account, Need.ADMINISTER, Account),
    Line("PUT", ACCOUNT, administration.rename, Need.ADMINISTER, Account, draft=Account, first=_HOLD),
    Line("GET", "/administration/health", health.shown, Need.ADMINISTER, Health),
    Line("GET", PEOPLE, administration.listed, Need.ADMINISTER, Person, Gives.LIST),
    Line("GET", PERSON, administration.shown, Need.ADMINISTER, Person),
    Line("PUT", PERSON, administration.update, Need.ADMINISTER, Person, draft=Person, first=_HOLD),
    Line("DELETE", PERSON, administration.remove, Need.ADMINISTER, Person, Gives.NOTHING, first=_HOLD),
    Line("GET", INVITATIONS, invitations.listed, Need.ADMINISTER, Invitation, Gives.LIST),
    Line(
        "POST",
        INVITATIONS,
        invitations.create,
        Need.ADMINISTER,
        Invitation,
        makes=INVITATION,
        draft=Invitation,
        once=True,
    ),
    Line("GET", INVITATION, invitations.shown, Need.ADMINISTER, Invitation),
    Line("DELETE", INVITATION, invitations.remove, Need.ADMINISTER, Invitation, Gives.NOTHING),
    Line("GET", WELCOME, invitations.welcome, Need.GUEST, Welcome),
    Line("POST", WELCOME, invitations.accept, Need.GUEST, User, draft=Welcome, ahead=invitations.hashed),
    Line("GET", SET_UP, set_ups.shown, Need.GUEST, SetUp),
    Line("POST", SET_UP, set_ups.finish, Need.GUEST, User, draft=SetUp, ahead=set_ups.hashed),
    Line("GET", TOKENS, tokens.listed, Need.SELF, Token, Gives.LIST),
    Line("POST", TOKENS, tokens.create, Need.SELF, Token, makes=TOKEN, draft=Token, once=True),
    Line("GET", TOKEN, tokens.own, Need.SELF, Token),
    Line("DELETE", TOKEN, tokens.remove, Need.SELF, Token, Gives.NOTHING),
    Line("GET", SESSIONS, sessions.listed, Need.SELF, Session, Gives.LIST),
    Line("DELETE", SESSIONS, sessions.end_others, Need.SELF, Session, Gives.NOTHING),
    Line("DELETE", f"{SESSIONS}/{{id}}", sessions.end, Need.SELF, Session, Gives.NOTHING),
    Line(
        "PUT",
        "/profile/password",
        passwords.change,
        Need.SELF,
        Password,
        Gives.NOTHING,
        draft=Password,
        ahead=passwords.compared,
    ),
    Line("GET", f"{USER}/memberships", memberships.of_user, Need.KNOWN, Membership, Gives.LIST),
    Line("GET", MEMBERSHIPS, memberships.of_project, Need.SEE, Membership, Gives.LIST),
    Line(
        "POST",
        MEMBERSHIPS,
        memberships.create,
        Need.WORK,
        Membership,
        makes=MEMBERSHIP,
        draft=Membership,
        first=_HOLD,
    ),
    Line("GET", MEMBERSHIP, memberships.shown, Need.SEE, Membership),
    Line("DELETE", MEMBERSHIP, memberships.remove, Need.WORK, Membership, Gives.NOTHING),
    Line("GET", "/tokens/{token}", tokens.shown, Need.KNOWN, Token),
)
