"""The route table: every path with its permission and use case."""

from collections.abc import Callable

from skerry.resources.activities import Activity
from skerry.resources.bulk_edits import AccountBulkEdit, BulkEdit
from skerry.resources.changesets import Changeset
from skerry.resources.claims import Claim
from skerry.resources.events import Event
from skerry.resources.links import TicketLink
from skerry.resources.mail import IncomingMailResult
from skerry.resources.messages import Comment, Message
from skerry.resources.milestones import BurndownDay, Milestone
from skerry.resources.notifications import Mute, NotificationSettings
from skerry.resources.projects import Project, ProjectSettings, State, Tag
from skerry.resources.suggestions import Suggestion
from skerry.resources.texts import EarlierText, Preview
from skerry.resources.ticket_templates import TicketTemplate
from skerry.resources.tickets import Attachment, Ticket, Version
from skerry.tracker import (
    account_bulk_edits,
    activities,
    administration,
    attachments,
    bulk_edits,
    bulk_undo,
    burndowns,
    changesets,
    claims,
    earlier_texts,
    held_texts,
    links,
    mentions,
    messages,
    milestones,
    projects,
    search,
    settings,
    states,
    suggestions,
    tags,
    ticket_templates,
    tickets,
    versions,
)
from skerry.tracker.access import Permission
from skerry.tracker.changes import task_boxes
from skerry.tracker.context import Context, Params
from skerry.tracker.events import event_lists
from skerry.tracker.mail import incoming
from skerry.tracker.notifications import levels
from skerry.tracker.texts import rendering
from skerry.web.route import PROJECT, TICKET, TICKETS, Parts, ResponseKind, Route
from skerry.web.routes import hooks, lists, mail, people, service_users, sign_ups

SETTINGS = f"{PROJECT}/settings"
VERSIONS = f"{TICKET}/versions"
VERSION = f"{VERSIONS}/{{version}}"
MESSAGES = f"{PROJECT}/messages"
MESSAGE = f"{MESSAGES}/{{id}}"
COMMENTS = f"{MESSAGE}/comments"
MILESTONES = f"{PROJECT}/milestones"
MILESTONE = f"{MILESTONES}/{{id}}"
BULK_EDIT = f"{PROJECT}/bulk_edits/{{id}}"
BULK_EDIT_OF_ACCOUNT = "/bulk_edits/{id}"
SUGGEST = f"{PROJECT}/query/suggest"
MENTIONS = f"{PROJECT}/mentions/suggest"
NAMED_TICKETS = f"{PROJECT}/tickets/suggest"
LEVEL = f"{PROJECT}/notification_settings"
MUTE = f"{TICKET}/mute"
CLAIM = f"{TICKET}/claim"
CHANGESETS = f"{PROJECT}/changesets"
CHANGESET = f"{CHANGESETS}/{{revision}}"
LINKS = f"{TICKET}/links"
LINK = f"{LINKS}/{{id}}"
TEMPLATES = f"{PROJECT}/templates"
TEMPLATE = f"{TEMPLATES}/{{id}}"
ATTACHMENT = "/attachments/{id}/{filename}"

_WATCHERS = ("multiple_watchers", "watching")
_AFTER = ("after",)
_SEARCH = ("q",)
_WORKER = ("worker",)
_TYPED = ("q", "caret", "language")
_WHICH = ("state",)


def _milestone(path: str) -> tuple[Route, ...]:
    """Return the routes of a milestone, which also have an older, singular path."""
    return (
        Route("GET", path, milestones.get, Permission.VIEW, Milestone),
        Route("PUT", path, milestones.update, Permission.CONTRIBUTE, Milestone, draft=Milestone),
        Route("POST", path, milestones.update, Permission.CONTRIBUTE, Milestone, draft=Milestone),
        Route("DELETE", path, milestones.delete, Permission.CONTRIBUTE, Milestone, ResponseKind.EMPTY),
        Route("PUT", f"{path}/close", milestones.close, Permission.CONTRIBUTE, Milestone),
        Route("PUT", f"{path}/open", milestones.reopen, Permission.CONTRIBUTE, Milestone),
    )


def _earlier_texts(
    path: str, delete: Callable[[Context, Params], None], permission: Permission
) -> tuple[Route, ...]:
    """Return the routes of the earlier texts of a version or a message."""
    texts, text = f"{path}/texts", f"{path}/texts/{{text}}"
    return (
        Route("GET", texts, earlier_texts.list_all, Permission.VIEW, EarlierText, ResponseKind.LIST),
        Route("GET", text, earlier_texts.get, Permission.VIEW, EarlierText),
        Route("DELETE", text, delete, permission, EarlierText, ResponseKind.EMPTY),
    )


ROUTES: tuple[Route, ...] = (
    Route("GET", "/projects", projects.list_all, Permission.PUBLIC, Project, ResponseKind.LIST),
    Route(
        "POST",
        "/projects",
        projects.create,
        Permission.CREATE_PROJECT,
        Project,
        location="/projects/{id}",
        draft=Project,
        first=administration.lock,
    ),
    Route("GET", "/projects/new", projects.new, Permission.CREATE_PROJECT, Project),
    Route("GET", PROJECT, projects.get, Permission.VIEW, Project),
    Route("PUT", PROJECT, projects.update, Permission.UNARCHIVE, Project, draft=Project, exclusive=True),
    Route(
        "DELETE", PROJECT, projects.delete, Permission.UNARCHIVE, Project, ResponseKind.EMPTY, exclusive=True
    ),
    Route("GET", SETTINGS, settings.get, Permission.UNARCHIVE, ProjectSettings),
    Route(
        "PUT",
        SETTINGS,
        settings.update,
        Permission.UNARCHIVE,
        ProjectSettings,
        draft=ProjectSettings,
        first=settings.lock,
        exclusive=True,
    ),
    Route(
        "GET",
        "/activity",
        activities.list_across_projects,
        Permission.PUBLIC,
        Activity,
        ResponseKind.PAGE,
        extra_params=activities.FILTERS_ACROSS_PROJECTS,
        quick=False,
    ),
    Route(
        "GET",
        f"{PROJECT}/activity",
        activities.list_all,
        Permission.VIEW,
        Activity,
        ResponseKind.PAGE,
        extra_params=activities.FILTERS,
    ),
    Route(
        "GET",
        "/events",
        event_lists.list_across_projects,
        Permission.PUBLIC,
        Event,
        ResponseKind.EVENTS,
        extra_params=_AFTER,
        quick=False,
    ),
    Route(
        "GET",
        f"{PROJECT}/events",
        event_lists.list_all,
        Permission.VIEW,
        Event,
        ResponseKind.EVENTS,
        extra_params=_AFTER,
        quick=False,
    ),
    Route("GET", f"{PROJECT}/states", states.list_all, Permission.VIEW, State, ResponseKind.LIST),
    Route(
        "GET",
        "/tickets",
        tickets.list_all,
        Permission.PUBLIC,
        Ticket,
        ResponseKind.PAGE,
        extra_params=_SEARCH,
    ),
    Route("GET", TICKETS, tickets.list_all, Permission.VIEW, Ticket, ResponseKind.PAGE, extra_params=_SEARCH),
    Route(
        "POST",
        TICKETS,
        tickets.create,
        Permission.COMMENT,
        Ticket,
        location=TICKET,
        draft=Ticket,
        extra_params=_WATCHERS,
        files=True,
        hold=held_texts.hold_ticket,
    ),
    Route("GET", f"{TICKETS}/new", tickets.new, Permission.COMMENT, Ticket),
    Route("GET", TICKET, tickets.get, Permission.VIEW, Ticket, parts=Parts(VERSIONS, "version-history")),
    Route(
        "PUT",
        TICKET,
        tickets.update,
        Permission.COMMENT,
        Ticket,
        draft=Ticket,
        extra_params=_WATCHERS,
        files=True,
        hold=held_texts.hold_comment,
    ),
    Route("DELETE", TICKET, tickets.delete, Permission.CONTRIBUTE, Ticket, ResponseKind.EMPTY),
    Route("GET", LINKS, links.list_all, Permission.VIEW, TicketLink, ResponseKind.LIST),
    Route("POST", LINKS, links.create, Permission.CONTRIBUTE, TicketLink, location=LINK, draft=TicketLink),
    Route("GET", LINK, links.get, Permission.VIEW, TicketLink),
    Route("DELETE", LINK, links.delete, Permission.CONTRIBUTE, TicketLink, ResponseKind.EMPTY),
    Route("GET", CLAIM, claims.get, Permission.VIEW, Claim),
    Route("POST", CLAIM, claims.create, Permission.CONTRIBUTE, Claim, draft=Claim),
    Route(
        "DELETE",
        CLAIM,
        claims.delete,
        Permission.CONTRIBUTE,
        Claim,
        ResponseKind.EMPTY,
        extra_params=_WORKER,
    ),
    Route("GET", TEMPLATES, ticket_templates.list_all, Permission.VIEW, TicketTemplate, ResponseKind.LIST),
    Route(
        "POST",
        TEMPLATES,
        ticket_templates.create,
        Permission.CONTRIBUTE,
        TicketTemplate,
        location=TEMPLATE,
        draft=TicketTemplate,
    ),
    Route("GET", f"{TEMPLATES}/new", ticket_templates.new, Permission.CONTRIBUTE, TicketTemplate),
    Route("GET", TEMPLATE, ticket_templates.get, Permission.VIEW, TicketTemplate),
    Route(
        "PUT",
        TEMPLATE,
        ticket_templates.update,
        Permission.CONTRIBUTE,
        TicketTemplate,
        draft=TicketTemplate,
    ),
    Route(
        "DELETE",
        TEMPLATE,
        ticket_templates.delete,
        Permission.CONTRIBUTE,
        TicketTemplate,
        ResponseKind.EMPTY,
    ),
    Route("GET", VERSIONS, versions.list_all, Permission.VIEW, Version, ResponseKind.PAGE),
    Route(
        "POST",
        VERSIONS,
        versions.create,
        Permission.COMMENT,
        Version,
        location=VERSION,
        draft=Version,
        files=True,
        hold=held_texts.hold_comment,
    ),
    Route("GET", VERSION, versions.get_with_quoted, Permission.VIEW, Version),
    Route(
        "PUT",
        VERSION,
        versions.update,
        Permission.COMMENT,
        Version,
        draft=Version,
        extra_params=task_boxes.PARAMETERS,
        files=True,
        prepare=versions.prepare,
        hold=held_texts.refuse_edit,
    ),
    Route("DELETE", VERSION, versions.delete, Permission.COMMENT, Version, ResponseKind.EMPTY),
    *_earlier_texts(VERSION, earlier_texts.delete_of_version, Permission.COMMENT),
    Route(
        "POST",
        "/mail",
        incoming.receive,
        Permission.DELIVER_MAIL,
        IncomingMailResult,
        extra_params=("to", "from"),
        takes_mail=True,
    ),
    Route("GET", MESSAGES, messages.list_all, Permission.VIEW, Message, ResponseKind.PAGE, whole=True),
    Route("POST", MESSAGES, messages.create, Permission.CONTRIBUTE, Message, location=MESSAGE, draft=Message),
    Route("GET", f"{MESSAGES}/new", messages.new, Permission.CONTRIBUTE, Message),
    Route("GET", MESSAGE, messages.get, Permission.VIEW, Message, parts=Parts(COMMENTS, "replies")),
    *(
        Route(
            method,
            MESSAGE,
            messages.update,
            Permission.CONTRIBUTE,
            Message,
            draft=Message,
            extra_params=task_boxes.PARAMETERS,
            prepare=messages.prepare,
        )
        for method in ("PUT", "POST")
    ),
    Route("DELETE", MESSAGE, messages.delete, Permission.CONTRIBUTE, Message, ResponseKind.EMPTY),
    *_earlier_texts(MESSAGE, earlier_texts.delete_of_message, Permission.CONTRIBUTE),
    Route("GET", COMMENTS, messages.commented, Permission.VIEW, Message, ResponseKind.PAGE),
    Route(
        "POST",
        COMMENTS,
        messages.comment,
        Permission.COMMENT,
        Message,
        location=MESSAGE,
        draft=Comment,
        hold=held_texts.hold_message_comment,
    ),
    Route(
        "GET",
        "/milestones",
        milestones.list_across_projects,
        Permission.PUBLIC,
        Milestone,
        ResponseKind.PAGE,
        extra_params=_WHICH,
    ),
    Route(
        "GET",
        MILESTONES,
        milestones.list_all,
        Permission.VIEW,
        Milestone,
        ResponseKind.PAGE,
        extra_params=_WHICH,
    ),
    Route(
        "POST",
        MILESTONES,
        milestones.create,
        Permission.CONTRIBUTE,
        Milestone,
        location=MILESTONE,
        draft=Milestone,
    ),
    Route("GET", f"{MILESTONES}/new", milestones.new, Permission.CONTRIBUTE, Milestone),
    *_milestone(MILESTONE),
    *_milestone(f"{PROJECT}/milestone/{{id}}"),
    Route(
        "GET",
        f"{MILESTONE}/burndown",
        burndowns.list_all,
        Permission.VIEW,
        BurndownDay,
        ResponseKind.LIST,
        quick=False,
    ),
    Route("GET", ATTACHMENT, attachments.found, Permission.PUBLIC, Attachment, ResponseKind.FILE),
    Route(
        "POST",
        f"{PROJECT}/bulk_edit",
        bulk_edits.create,
        Permission.CONTRIBUTE,
        BulkEdit,
        location=BULK_EDIT,
        draft=BulkEdit,
        dry_run_field="dry_run",
    ),
    Route("GET", BULK_EDIT, bulk_edits.get, Permission.VIEW, BulkEdit),
    Route(
        "POST",
        "/bulk_edit",
        account_bulk_edits.create,
        Permission.SIGNED_IN,
        AccountBulkEdit,
        location=BULK_EDIT_OF_ACCOUNT,
        draft=AccountBulkEdit,
        dry_run_field="dry_run",
    ),
    Route("GET", BULK_EDIT_OF_ACCOUNT, account_bulk_edits.get, Permission.PUBLIC, AccountBulkEdit),
    Route(
        "POST",
        f"{BULK_EDIT_OF_ACCOUNT}/undo",
        account_bulk_edits.undo,
        Permission.SIGNED_IN,
        AccountBulkEdit,
        location=BULK_EDIT_OF_ACCOUNT,
    ),
    Route("POST", f"{BULK_EDIT}/undo", bulk_undo.undo, Permission.CONTRIBUTE, BulkEdit, location=BULK_EDIT),
    Route(
        "GET",
        SUGGEST,
        suggestions.list_all,
        Permission.VIEW,
        Suggestion,
        ResponseKind.LIST,
        extra_params=_TYPED,
        quick=False,
    ),
    Route(
        "GET",
        MENTIONS,
        mentions.suggest,
        Permission.COMMENT,
        Suggestion,
        ResponseKind.LIST,
        extra_params=_SEARCH,
    ),
    Route(
        "GET",
        NAMED_TICKETS,
        search.suggest,
        Permission.VIEW,
        Suggestion,
        ResponseKind.LIST,
        extra_params=_SEARCH,
        quick=False,
    ),
    Route(
        "POST",
        f"{PROJECT}/preview",
        rendering.preview,
        Permission.COMMENT,
        Preview,
        draft=Preview,
        reads_only=True,
    ),
    Route("GET", LEVEL, levels.get, Permission.COMMENT, NotificationSettings),
    Route("PUT", LEVEL, levels.update, Permission.COMMENT, NotificationSettings, draft=NotificationSettings),
    Route("GET", MUTE, levels.get_mute, Permission.COMMENT, Mute),
    Route("PUT", MUTE, levels.mute, Permission.COMMENT, Mute, draft=Mute),
    Route("GET", f"{PROJECT}/tags", tags.list_all, Permission.VIEW, Tag, ResponseKind.LIST),
    Route(
        "GET",
        "/query/suggest",
        suggestions.list_across_projects,
        Permission.PUBLIC,
        Suggestion,
        ResponseKind.LIST,
        extra_params=_TYPED,
    ),
    Route("GET", CHANGESETS, changesets.list_all, Permission.VIEW, Changeset, ResponseKind.PAGE),
    Route(
        "POST",
        CHANGESETS,
        changesets.create,
        Permission.CONTRIBUTE,
        Changeset,
        location=CHANGESET,
        draft=Changeset,
        prepare=changesets.prepare,
    ),
    Route("GET", f"{CHANGESETS}/new", changesets.new, Permission.CONTRIBUTE, Changeset),
    Route("GET", CHANGESET, changesets.get, Permission.VIEW, Changeset),
    Route("GET", f"{CHANGESET}/tickets", changesets.tickets, Permission.VIEW, Ticket, ResponseKind.LIST),
    Route("DELETE", CHANGESET, changesets.delete, Permission.CONTRIBUTE, Changeset, ResponseKind.EMPTY),
    *service_users.ROUTES,
    *people.ROUTES,
    *hooks.ROUTES,
    *lists.ROUTES,
    *mail.ROUTES,
    *sign_ups.ROUTES,
)
