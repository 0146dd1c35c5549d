"""Mail about tickets, limited to what the recipient may see at the time of sending."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from urllib.parse import urlsplit

from skerry.database.rows import timestamp
from skerry.database.transactions import Transaction
from skerry.errors import NotFound
from skerry.resources.tickets import Ticket, Version
from skerry.store import accounts, milestones
from skerry.store import versions as version_store
from skerry.store.mail.mail_preferences import NONE
from skerry.store.mail.mails import QueuedMail
from skerry.store.notifications import levels as notification_levels
from skerry.store.people import users
from skerry.store.ticket_rows import moved_tickets
from skerry.store.ticket_rows.moved_tickets import Place
from skerry.text.characters import one_line
from skerry.tracker import change_words, links
from skerry.tracker.change_words import ChangeInWords
from skerry.tracker.context import Context
from skerry.tracker.mail import letters, queue, subscriptions
from skerry.tracker.mail.letters import Headers, Letter, Recipient, reader
from skerry.tracker.mail.reply_addresses import reply_address
from skerry.tracker.people import frequency
from skerry.tracker.projects import levels_of
from skerry.tracker.texts import ticket_references

REASONS = ("", "watched", "assigned", "mention")
"""The reason for a notification, by its number."""

_MAX_TURNS = 30
_MAX_TICKETS = 50
_MAX_DIGEST_TURNS = 5


@dataclass(frozen=True)
class MailedTurn:
    """A version of a ticket in a mail; ``html`` is its text as pages show it."""

    name: str
    happened_at: datetime | None
    changes: list[ChangeInWords]
    text: str
    html: str
    is_opening: bool
    edited_at: datetime | None

    def was_edited(self, moment: int) -> bool:
        """Return whether the text was edited before a given time."""
        return self.edited_at is not None and self.edited_at <= timestamp(moment)


@dataclass(frozen=True)
class Content:
    """A ticket in a mail, with the versions by others; mail identifies it by its ``origin``."""

    project_id: int
    project_name: str
    number: int
    title: str
    origin: Place
    url: str
    reason: str
    turns: list[MailedTurn]


def ticket(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    """Return a mail about one ticket, or None if the recipient may not see it or wants no mail any more."""
    to = wants(transaction, mail)
    told = _content(transaction, to, mail.content) if to else None
    if to is None or told is None:
        return None
    at = host(transaction)
    thread = f"ticket.{transaction.account_id}.{told.origin.project_id}.{told.origin.number}@{at}"
    # Another mail about the opening text follows its first edit.
    opens = any(turn.is_opening and not turn.was_edited(mail.created_at) for turn in told.turns)
    own = f"{letters.code_of(transaction, mail)}.{to.user_id}.{thread}"
    headers: Headers = {
        "Message-ID": f"<{thread}>" if opens else f"<{own}>",
        **({} if opens else {"In-Reply-To": f"<{thread}>", "References": f"<{thread}>"}),
        "List-Id": (told.project_name, f"{told.project_id}.projects.{transaction.account_id}.{at}"),
        **_reply_to(transaction, told, to),
    }
    names = {turn.name for turn in told.turns}
    actor = names.pop() if len(names) == 1 else ""
    link = subscriptions.link_to_end(transaction, to.user_id, told.origin)
    return letter(transaction, "ticket", to, headers, link, actor=actor, told=told)


def digest(transaction: Transaction, mail: QueuedMail) -> Letter | None:
    """Return a digest of a day or a week, or None if nothing remains to be reported."""
    to = wants(transaction, mail)
    parts = mail.content["tickets"]
    if to is None or not isinstance(parts, list):
        return None
    visible = (told for part in parts if (told := _content(transaction, to, part)))
    tickets = [replace(told, turns=told.turns[-_MAX_DIGEST_TURNS:]) for told in islice(visible, _MAX_TICKETS)]
    if not tickets:
        return None
    more = max(0, len(parts) - _MAX_TICKETS)
    address = f"digest.{transaction.account_id}.{host(transaction)}"
    headers: Headers = {"List-Id": (one_line(accounts.name_of(transaction)), address)}
    link = subscriptions.link_to_end(transaction, to.user_id)
    return letter(transaction, "digest", to, headers, link, tickets=tickets, more=more)


def wants(transaction: Transaction, mail: QueuedMail) -> Recipient | None:
    """Return the recipient of a notification, or None if they want none by mail."""
    user_id = mail.user_id or 0
    return None if frequency.of_user(transaction, user_id) == NONE else reader(transaction, user_id)


def _content(transaction: Transaction, to: Recipient, content: Mapping[str, object]) -> Content | None:
    numbers = {name: int(str(value)) for name, value in content.items()}
    named = Place(numbers["project_id"], numbers["number"])
    try:
        entered, ticket = subscriptions.ticket_of(transaction, to.user_id, named)
    except NotFound:
        return None
    place = Place(entered.project_id, ticket.number or 0)
    if notification_levels.is_muted(transaction, *place, to.user_id):
        return None
    first = max(numbers["first_version"], numbers["last_version"] - _MAX_TURNS + 1)
    turns = []
    for version in range(first, numbers["last_version"] + 1):
        turn = _turn(entered, ticket, version, to.user_id)
        if turn:
            turns.append(turn)
    if not turns:
        return None
    url = f"{queue.base_url(transaction)}/projects/{entered.project_id}/tickets/{ticket.number}"
    project, title = one_line(entered.project.name), one_line(ticket.title)
    reason = REASONS[numbers["reason"]]
    origin = moved_tickets.origin(transaction, *place)
    return Content(entered.project_id, project, place.number, title, origin, url, reason, turns)


def _turn(context: Context, ticket: Ticket, number: int, reader_id: int) -> MailedTurn | None:
    """Return the turn for a version, or None for the recipient's own."""
    version = version_store.one(context.transaction, context.project_id, ticket.number or 0, number)
    if version is None or version.user_id == reader_id:
        return None
    version = links.with_changes(context, number=version.number or 0, versions=[version])[0]
    opens = version.version == 1
    said: Ticket | Version = ticket if opens else version
    changes = change_words.of_links(version) if opens else _changes(context, version)
    if not (opens or changes or said.body) and links.are_hidden(context, version):
        return None
    name = version.user_name or ""
    base = queue.base_url(context.transaction)
    html = ticket_references.viewer_of(context, base).html(said.body_html)
    return MailedTurn(name, version.created_at, changes, said.body, html, opens, said.body_edited_at)


def _changes(context: Context, version: Version) -> list[ChangeInWords]:
    transaction, levels = context.transaction, levels_of(context.project)

    def name_of(field: str, value: int) -> str | None:
        if field == "assigned_user":
            person = users.one(transaction, value)
            return person.name if person else None
        if field == "milestone":
            milestone = milestones.ROWS.one(transaction, context.project_id, value)
            return one_line(milestone.title) if milestone else None
        return levels.name_of(value)

    return change_words.in_words(version, name_of)


def _reply_to(transaction: Transaction, told: Content, to: Recipient) -> dict[str, str]:
    host = transaction.mail.reply_host if transaction.mail else ""
    address = reply_address(transaction, *told.origin, to.user_id, host) if host else ""
    return {"Reply-To": address} if address else {}


def host(transaction: Transaction) -> str:
    """Return the host of links in the account's mail."""
    return urlsplit(queue.base_url(transaction)).hostname or "localhost"


def letter(
    transaction: Transaction,
    template: str,
    to: Recipient,
    headers: Headers,
    link: str,
    actor: str = "",
    **values: object,
) -> Letter:
    """Return a letter with a link that unsubscribes."""
    base, account = queue.base_url(transaction), accounts.name_of(transaction)
    link = f"{base}/unsubscribe/{link}"
    all_headers = {
        **headers,
        "List-Unsubscribe": f"<{link}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Precedence": "list",
    }
    return Letter(template, to, account, base, {**values, "unsubscribe": link}, all_headers, actor)
