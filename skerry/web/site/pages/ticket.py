"""The pages of one ticket: reading and changing it, creating one, and the text of one comment."""

import re
from urllib.parse import urlencode

from skerry.errors import Invalid
from skerry.resources.links import KINDS
from skerry.resources.ticket_templates import MAX_NAME_LENGTH, TicketTemplate
from skerry.resources.tickets import RECORDED, Ticket
from skerry.tracker import (
    attachments,
    backlinks,
    bulk_dry_run,
    claims,
    edit_conflicts,
    form_choices,
    held_texts,
    search,
    ticket_templates,
    tickets,
    versions,
)
from skerry.tracker import earlier_texts as texts
from skerry.tracker.change_words import as_text
from skerry.tracker.changes import watchers
from skerry.tracker.context import Context, Params
from skerry.tracker.form_choices import Choices
from skerry.tracker.people import avatars
from skerry.web.site.pages import Content, conversation, notifications, ticket_edit

FIELDS = tuple(RECORDED.values())

COMMAND = "command"
"""The value of the field for the version seen in the form for a command."""

_MAX_FILLED_LENGTH = 2_000
_BESIDE = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")
_FILLED = re.compile(r"ticket\[(\w{1,20})\]")


def get(context: Context, params: Params) -> Content:
    """Return a ticket with its conversation and the reader's possible actions; raises NotFound."""
    choices, at = form_choices.choices(context), params.query.get("at", "")
    ticket = tickets.get(context, params)
    version = conversation.version_in(at)
    if version is not None and not conversation.has_opening(ticket):
        ticket = tickets.get(context, params, up_to=max(version, 1))
    if context.transaction.marks_newcomers:
        ticket = held_texts.with_marks(context, ticket)
    shown = conversation.of_ticket(context, ticket, choices, at)
    people = {ticket.creator_id, *ticket.watchers_ids, *(turn.version.user_id for turn in shown.turns)}
    return {
        "ticket": ticket,
        "conversation": shown,
        "quoted": conversation.quoted(context, ticket),
        "choices": choices,
        "mentions": backlinks.of_ticket(context, ticket.number or 0),
        "link_kinds": KINDS,
        "claim": claims.of_ticket(context, ticket.number or 0),
        "seen": edit_conflicts.seen_of(ticket),
        "pictures": avatars.paths(context, people),
        "watchers": watchers.filter_by_name(context, ticket.watchers_ids),
        "undo": ticket_edit.undo(context, params),
        **notifications.of_ticket(context, params),
        **_way(context, ticket, params),
    }


def check(context: Context, params: Params, seen: str) -> None:
    """Raise PreconditionFailed if a ticket has changed since the reader saw it, Invalid for a bad command."""
    if seen == COMMAND:
        bulk_dry_run.check_command(context, params.ids["number"], params.draft_of(Ticket).new.body)
    else:
        edit_conflicts.check_ticket(context, params, seen)


def _way(context: Context, ticket: Ticket, params: Params) -> Content:
    """Return the list from which the reader came, with the adjacent tickets."""
    query = params.query.get("in", "")
    before, after = _remembered(params) or _neighbours(context, ticket.number or 0, query)
    came = f"?{urlencode({'in': query})}" if query else ""
    here = urlencode({**({"in": query} if query else {}), "beside": f"{before or ''}-{after or ''}"})
    return {"query": query, "came": came, "here": f"?{here}", "before": before, "after": after}


def _remembered(params: Params) -> tuple[int | None, int | None] | None:
    """Return the adjacent tickets as they were before the reader's change moved the ticket."""
    match = _BESIDE.fullmatch(params.query.get("beside", ""))
    return (int(match[1] or 0) or None, int(match[2] or 0) or None) if match else None


def _neighbours(context: Context, number: int, query: str) -> tuple[int | None, int | None]:
    try:
        return search.adjacent(context, number, query)
    except Invalid:
        return None, None


def new(context: Context, params: Params) -> Content:
    """Return a new ticket with its defaults and the values of a template and of the query string."""
    filled = {
        match[1]: value[:_MAX_FILLED_LENGTH]
        for name, value in params.query.items()
        if (match := _FILLED.fullmatch(name))
    }
    ticket, choices = tickets.new(context, params), form_choices.choices(context)
    templates, wanted = ticket_templates.list_all(context, params).records, params.query.get("template", "")
    chosen = ticket_templates.named(templates, wanted)
    filled = {**(_of_template(chosen, choices) if chosen else {}), **filled}
    values = {name: filled.get(name, as_text(getattr(ticket, name))) for name in (*FIELDS, "body")}
    return {
        "values": values,
        "choices": choices,
        "templates": templates,
        "chosen": chosen,
        "missing": "" if chosen else wanted[:MAX_NAME_LENGTH],
    }


def _of_template(template: TicketTemplate, choices: Choices) -> dict[str, str]:
    """Return the values of a template that a ticket can have, as texts."""
    works = template.assigned_user_id in {person.id for person in choices.people}
    assignee = as_text(template.assigned_user_id) if works else ""
    values = {name: getattr(template, name) for name in ("title", "body", "tag")}
    return {name: text for name, text in {**values, "assigned_user_id": assignee}.items() if text}


def text(context: Context, params: Params) -> Content:
    """Return a version to show its full text; raises NotFound."""
    version = versions.get(context, params)
    path = f"/projects/{context.project_id}/tickets/{version.number}"
    back, above = f"{path}?at={version.version}#v{version.version}", f"#{version.number}"
    return {"said": version, "label": f"{above}, {version.version}", "back": back, "above": above}


def earlier_texts(context: Context, params: Params) -> Content:
    """Return the earlier texts of a version; raises NotFound."""
    version = versions.get(context, params)
    ticket = f"/projects/{context.project_id}/tickets/{version.number}"
    return {
        "said": version,
        "listing": texts.list_all(context, params),
        "label": f"#{version.number}, {version.version}",
        "address": f"{ticket}/versions/{version.version}",
        "back": f"{ticket}#v{version.version}",
        "above": f"#{version.number}",
        "can_delete": versions.may_change(context, version),
    }


def comment(context: Context, params: Params) -> Content:
    """Return a version whose text the reader may change; raises NotFound or Forbidden."""
    version = versions.own(context, params)
    files = attachments.of_version(context, version)
    return {"version": version, "seen": edit_conflicts.mark(version.body), "files": files}


def removal(context: Context, params: Params) -> Content:
    """Return a ticket to be removed; raises NotFound."""
    return {"ticket": tickets.one(context, params.ids["number"])}
