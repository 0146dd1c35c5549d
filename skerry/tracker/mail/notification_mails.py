"""Mail about tickets, limited to what the recipient may see at the time of sending."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from urllib.parse import urlsplit

from skerry.errors import NotFound
from skerry.resources.projects import Project
from skerry.resources.tickets import RECORDED, Ticket, Version
from skerry.store import accounts, milestones
from skerry.store import versions as version_store
from skerry.store.engine.transactions import Transaction
from skerry.store.mail.mail_preferences import NONE
from skerry.store.mail.mails import Mail
from skerry.store.people import people, users
from skerry.tracker import access, tickets
from skerry.tracker.access import Permission
from skerry.tracker.context import Context, Principal
from skerry.tracker.mail import frequency, queue
from skerry.tracker.mail.letters import Letter, Reader, reader
from skerry.tracker.mail.reply_addresses import reply_address
from skerry.wire.record import fields_of

REASONS = ("", "watched", "assigned", "mention")
"""The reason for a notification, by its number."""

_MAX_TURNS = 30
_LABELS = {field.name: field.label for field in fields_of(Ticket)}


class Change(NamedTuple):
    """A changed field of a version: its name, its label, and its values before and after."""

    name: str
    label: str
    before: str
    after: str


@dataclass(frozen=True)
class Turn:
    """A version of a ticket in a mail; ``html`` is its text as pages show it."""

    name: str
    happened_at: datetime | None
    changes: list[Change]
    text: str
    html: str
    is_opening: bool


@dataclass(frozen=True)
class Content:
    """A ticket in a mail, with the versions by others."""

    ticket: Ticket
    project: Project
    url: str
    reason: str
    turns: list[Turn]


def ticket(transaction: Transaction, mail: Mail) -> Letter | None:
    """Return a mail about one ticket, or None if the recipient may not see it or wants no mail any more."""
    to = _wants(transaction, mail)
    told = _content(transaction, to, mail.content) if to else None
    if to is None or told is None:
        return None
    host, base = _host(transaction), queue.base_url(transaction)
    thread = f"ticket.{transaction.account_id}.{told.project.id}.{told.ticket.number}@{host}"
    opens = any(turn.is_opening for turn in told.turns)
    headers = {
        "Message-ID": f"<{thread}>" if opens else f"<{mail.content['last_version']}.{to.user_id}.{thread}>",
        **({} if opens else {"In-Reply-To": f"<{thread}>", "References": f"<{thread}>"}),
        "List-Id": f"<{told.project.id}.projects.{transaction.account_id}.{host}>",
        **_reply_to(transaction, told, to),
    }
    names = list(dict.fromkeys(turn.name for turn in told.turns))
    return _letter(transaction, "ticket", to, headers, told=told, base=base, names=names)


def digest(transaction: Transaction, mail: Mail) -> Letter | None:
    """Return a digest of a day or a week, or None if nothing remains to be reported."""
    to = _wants(transaction, mail)
    parts = mail.content["tickets"]
    if to is None or not isinstance(parts, list):
        return None
    found = [told for part in parts if (told := _content(transaction, to, part))]
    if not found:
        return None
    headers = {"List-Id": f"<digest.{transaction.account_id}.{_host(transaction)}>"}
    return _letter(transaction, "digest", to, headers, tickets=found)


def _wants(transaction: Transaction, mail: Mail) -> Reader | None:
    user_id = mail.user_id or 0
    return None if frequency.of_user(transaction, user_id) == NONE else reader(transaction, user_id)


def _content(transaction: Transaction, to: Reader, content: Mapping[str, object]) -> Content | None:
    numbers = {name: int(str(value)) for name, value in content.items()}
    person = people.person(transaction, to.user_id)
    principal = Principal(to.user_id, to.name, person.role if person else None)
    try:
        entered = access.enter(
            Context(transaction, principal), numbers["project_id"], Permission.VIEW, writes=False
        )
        found = tickets.one(entered, numbers["number"])
    except NotFound:
        return None
    first = max(numbers["first_version"], numbers["last_version"] - _MAX_TURNS + 1)
    turns = []
    for version in range(first, numbers["last_version"] + 1):
        turn = _turn(entered, found, version, to.user_id)
        if turn:
            turns.append(turn)
    url = f"{queue.base_url(transaction)}/projects/{entered.project_id}/tickets/{found.number}"
    return Content(found, entered.project, url, REASONS[numbers["reason"]], turns) if turns else None


def _turn(context: Context, found: Ticket, number: int, reader_id: int) -> Turn | None:
    """Return the turn for a version, or None for the recipient's own."""
    version = version_store.one(context.transaction, context.project_id, found.number or 0, number)
    if version is None or version.user_id == reader_id:
        return None
    opens = version.version == 1
    said: Ticket | Version = found if opens else version
    changes = [] if opens else _changes(context.transaction, context.project_id, version)
    name = version.user_name or ""
    return Turn(name, version.created_at, changes, said.body, said.body_html, opens)


def _changes(transaction: Transaction, project_id: int, version: Version) -> list[Change]:
    def in_words(name: str, value: object) -> str:
        if isinstance(value, int) and value and name == "assigned_user":
            person = users.one(transaction, value)
            return person.name if person else f"#{value}"
        if isinstance(value, int) and value and name == "milestone":
            milestone = milestones.one(transaction, project_id, value)
            return milestone.title if milestone else f"#{value}"
        return "" if value is None else str(value)

    before = version.diffable_attributes
    return [
        Change(name, _LABELS[field], in_words(name, before[name]), in_words(name, getattr(version, field)))
        for name, field in RECORDED.items()
        if name in before
    ]


def _reply_to(transaction: Transaction, told: Content, to: Reader) -> dict[str, str]:
    host = transaction.mail.reply_host if transaction.mail else ""
    number, project_id = told.ticket.number or 0, told.project.id or 0
    address = reply_address(transaction, project_id, number, to.user_id, host) if host else ""
    return {"Reply-To": address} if address else {}


def _host(transaction: Transaction) -> str:
    return urlsplit(queue.base_url(transaction)).hostname or "localhost"


def _letter(
    transaction: Transaction, template: str, to: Reader, headers: Mapping[str, str], **values: object
) -> Letter:
    base, account = queue.base_url(transaction), accounts.name_of(transaction)
    link = f"{base}/unsubscribe/{frequency.code_of(transaction, to.user_id)}"
    all_headers = {
        **headers,
        "List-Unsubscribe": f"<{link}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Precedence": "list",
    }
    return Letter(template, to, account, base, {**values, "unsubscribe": link}, all_headers)
