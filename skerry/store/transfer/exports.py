"""Details in exports that the API does not show: exact times, owners, and used numbers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from sqlalchemy import Table, bindparam, select

from skerry.chunks import chunks
from skerry.database.statements import OneOf, Statement, in_account, in_project, inline_literal, matching
from skerry.database.transactions import Transaction
from skerry.resources.archives import (
    AttachmentDetails,
    BinDetails,
    ChangesetDetails,
    LinkDetails,
    MessageDetails,
    MessageTextDetails,
    MilestoneDetails,
    PlaceDetails,
    ProjectDetails,
    TicketDetails,
    UserDetails,
    VersionDetails,
    VersionTextDetails,
)
from skerry.resources.messages import Message
from skerry.store import list_settings
from skerry.store.people import people
from skerry.store.tables import (
    account_members,
    attachments,
    bins,
    changesets,
    default_bins,
    message_texts,
    messages,
    milestones,
    project_counters,
    projects,
    ticket_links,
    tickets,
    users,
    version_texts,
    versions,
)
from skerry.store.ticket_rows import moved_tickets
from skerry.wire.record import Record, changed, fields_of

D = TypeVar("D", bound=Record)

# Fifty messages may have any number of comments, and SQLite takes at most 32,766 values in a statement.
_AT_ONCE = 1000


def _fields(kind: type[Record], table: Table) -> list[str]:
    return [field.name for field in fields_of(kind) if field.name in table.c]


def _some(kind: type[Record], table: Table, key: str, *order: str) -> Statement:
    """Select the columns of a kind of details from a table for some keys; each row begins with its key."""
    columns = [table.c[name] for name in (key, *_fields(kind, table))]
    statement = select(*(column.label(None) for column in columns)).where(
        in_project(table), OneOf(table.c[key], "keys")
    )
    return Statement(statement.order_by(*(table.c[name] for name in order)))


_SOME: dict[type[Record], tuple[Table, Statement]] = {
    MilestoneDetails: (milestones, _some(MilestoneDetails, milestones, "id")),
    MessageDetails: (messages, _some(MessageDetails, messages, "id")),
    MessageTextDetails: (
        message_texts,
        _some(MessageTextDetails, message_texts, "message_id", "message_id", "id"),
    ),
    BinDetails: (bins, _some(BinDetails, bins, "id")),
    ChangesetDetails: (changesets, _some(ChangesetDetails, changesets, "revision")),
    TicketDetails: (tickets, _some(TicketDetails, tickets, "number")),
    VersionDetails: (versions, _some(VersionDetails, versions, "number", "number", "version")),
    VersionTextDetails: (
        version_texts,
        _some(VersionTextDetails, version_texts, "number", "number", "version", "id"),
    ),
    LinkDetails: (ticket_links, _some(LinkDetails, ticket_links, "number", "number", "id")),
    AttachmentDetails: (attachments, _some(AttachmentDetails, attachments, "number", "number", "id")),
}

_PROJECT = Statement(
    select(projects.c.created_at, projects.c.updated_at, project_counters.c.last_number)
    .select_from(projects.join(project_counters, matching(project_counters, projects, project_id="id")))
    .where(in_account(projects), projects.c.id == bindparam("project_id"))
)

_DEFAULTS = Statement(
    select(default_bins.c.bin_id, default_bins.c.user_id)
    .where(in_project(default_bins))
    .order_by(default_bins.c.bin_id, default_bins.c.user_id)
)

_VIEWS = Statement(
    select(bins.c.id, *(bins.c[name].label(None) for name in _fields(BinDetails, bins))).where(
        in_account(bins), bins.c.project_id.is_(None)
    ),
    across_projects="upkeep",
)

_NEXT = Statement(
    select(tickets.c.number)
    .where(in_project(tickets), tickets.c.number > bindparam("number"))
    .order_by(tickets.c.number)
    .limit(inline_literal("limit"))
)

_OF_ACCOUNT = Statement(
    select(account_members.c.user_id)
    .select_from(account_members.join(users, users.c.id == account_members.c.user_id))
    .where(in_account(account_members), users.c.service == 0)
)

_JOINED = Statement(
    select(users.c.created_at).where(users.c.id == bindparam("user_id")), across_accounts=True
)


def _details(
    transaction: Transaction, kind: type[D], project_id: int, keys: Iterable[Any]
) -> list[tuple[Any, D]]:
    """Return the details of records of one kind by key."""
    table, statement = _SOME[kind]
    names = _fields(kind, table)
    return [
        (key, kind(**dict(zip(names, values, strict=True))))
        for some in chunks(keys, _AT_ONCE)
        for key, *values in transaction.all(statement, project_id=project_id, keys=some)
    ]


def _listed(
    transaction: Transaction, kind: type[D], project_id: int, keys: Iterable[Any]
) -> dict[Any, list[D]]:
    """Return the details of records of one kind, of which a key may have several."""
    listed: dict[Any, list[D]] = defaultdict(list)
    for key, details in _details(transaction, kind, project_id, keys):
        listed[key].append(details)
    return listed


def of_project(transaction: Transaction, project_id: int) -> ProjectDetails:
    """Return the details of a project."""
    return ProjectDetails(*(transaction.one(_PROJECT, project_id=project_id) or ()))


def of_milestones(
    transaction: Transaction, project_id: int, ids: Iterable[int | None]
) -> Mapping[int | None, MilestoneDetails]:
    """Return the details of some milestones, by id."""
    return dict(_details(transaction, MilestoneDetails, project_id, ids))


def of_changesets(
    transaction: Transaction, project_id: int, revisions: Iterable[str]
) -> Mapping[str, ChangesetDetails]:
    """Return the details of some changesets, by revision."""
    return dict(_details(transaction, ChangesetDetails, project_id, revisions))


def of_messages(
    transaction: Transaction, project_id: int, some: Iterable[Message]
) -> Mapping[int | None, MessageDetails]:
    """Return the details of some messages with their comments, by id."""
    commented = {message.id: [comment.id for comment in message.comments or ()] for message in some}
    ids = [each for message_id, comments in commented.items() for each in (message_id, *comments)]
    texts = _listed(transaction, MessageTextDetails, project_id, ids)
    by_id = {
        message_id: changed(details, earlier_texts=texts[message_id])
        for message_id, details in _details(transaction, MessageDetails, project_id, ids)
    }
    return {
        message_id: changed(by_id[message_id], comments=[by_id[comment_id] for comment_id in comments])
        for message_id, comments in commented.items()
    }


def of_bins(
    transaction: Transaction, project_id: int, ids: Iterable[int | None]
) -> Mapping[int | None, BinDetails]:
    """Return the details of some bins, by id."""
    return _with_choosers(transaction, project_id, _details(transaction, BinDetails, project_id, ids))


def of_views(transaction: Transaction) -> Mapping[int | None, BinDetails]:
    """Return the details of the saved views of the account, by id."""
    names = _fields(BinDetails, bins)
    rows = transaction.all(_VIEWS)
    details = [(view_id, BinDetails(**dict(zip(names, values, strict=True)))) for view_id, *values in rows]
    return _with_choosers(transaction, list_settings.ALL, details)


def _with_choosers(
    transaction: Transaction, project_id: int, details_of_bins: Iterable[tuple[int, BinDetails]]
) -> Mapping[int | None, BinDetails]:
    chosen: dict[int, list[int]] = defaultdict(list)
    for bin_id, user_id in transaction.all(_DEFAULTS, project_id=project_id):
        chosen[bin_id].append(user_id)
    return {bin_id: changed(details, default_for=chosen[bin_id]) for bin_id, details in details_of_bins}


def of_tickets(
    transaction: Transaction, project_id: int, numbers: list[int]
) -> Mapping[int | None, TicketDetails]:
    """Return the details of some tickets, their versions and files, by number."""
    history = _listed(transaction, VersionDetails, project_id, numbers)
    files = _listed(transaction, AttachmentDetails, project_id, numbers)
    texts = _listed(transaction, VersionTextDetails, project_id, numbers)
    links = _listed(transaction, LinkDetails, project_id, numbers)
    former = moved_tickets.former(transaction, project_id, numbers)
    return {
        number: changed(
            details,
            versions=history[number],
            attachments=files[number],
            earlier_texts=texts[number],
            links=links[number],
            moved_from=[PlaceDetails(place.number, place.project_id) for place in former.get(number, ())],
        )
        for number, details in _details(transaction, TicketDetails, project_id, numbers)
    }


def numbers(transaction: Transaction, project_id: int, *, at_once: int) -> Iterator[list[int]]:
    """Yield the numbers of all tickets of a project in batches."""
    last = 0
    while rows := transaction.all(_NEXT, project_id=project_id, number=last, limit=at_once):
        last = rows[-1][0]
        yield [number for (number,) in rows]


def of_account(transaction: Transaction) -> set[int]:
    """Return the ids of the people who have a role in the account, without service users."""
    return {user_id for (user_id,) in transaction.all(_OF_ACCOUNT)}


def of_user(transaction: Transaction, user_id: int) -> UserDetails:
    """Return the details of a person."""
    person = people.person(transaction, user_id)
    created_at = transaction.value(_JOINED, user_id=user_id)
    if person is None:
        return UserDetails(created_at=created_at)
    return UserDetails(created_at=created_at, email=person.email, role=person.role or "")
