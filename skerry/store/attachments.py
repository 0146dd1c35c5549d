"""Rows of attachments; their bytes are in the file storage, under account and code."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from sqlalchemy import Select, and_, bindparam, delete, insert, select

from skerry.database.rows import Shape
from skerry.database.statements import OneOf, Row, Statement, in_account, in_project
from skerry.database.transactions import Transaction
from skerry.resources.tickets import Attachment
from skerry.store.counts import counters
from skerry.store.tables import attachments


@dataclass(frozen=True)
class Download:
    """An attachment with its project and the key of its bytes.

    A ``lasting`` file may be cached: only clients that know its URL can request it.
    """

    attachment: Attachment
    project_id: int
    key: str
    lasting: bool = False


_SHOWN = ("code", "content_type", "created_at", "filename", "height", "id", "size", "uploader_id", "width")


def _address(values: list[Any], place: Mapping[str, int], transaction: Transaction) -> None:
    attachment_id, filename = values[place["id"]], values[place["filename"]]
    values[place["url"]] = f"{transaction.base}/attachments/{attachment_id}/{quote(filename)}"


_SHAPE = Shape(Attachment, {name: attachments.c[name] for name in _SHOWN}, finish=_address)

_IN_ACCOUNT = in_account(attachments)
_OF_PROJECT = in_project(attachments)
_OF_TICKET = and_(_OF_PROJECT, attachments.c.number == bindparam("number"))
_OF_VERSION = and_(_OF_TICKET, attachments.c.version == bindparam("version"))


def _listed(condition: Any) -> Select[Any]:
    return select(*_SHAPE.columns).where(condition).order_by(attachments.c.version, attachments.c.id)


_ONE = Statement(
    select(*_SHAPE.columns, attachments.c.project_id).where(_OF_PROJECT, attachments.c.id == bindparam("id"))
)
_PROJECT = Statement(
    select(attachments.c.project_id).where(_IN_ACCOUNT, attachments.c.id == bindparam("id")),
    across_projects="place",
)
_LIST = Statement(_listed(_OF_TICKET))
_LIST_OF_VERSION = Statement(_listed(_OF_VERSION))
_OF_SEVERAL = Statement(
    _listed(and_(_OF_PROJECT, OneOf(attachments.c.number, "numbers"))).add_columns(attachments.c.number)
)
_CODES = Statement(select(attachments.c.code).where(_OF_PROJECT))
_KNOWN = Statement(
    select(attachments.c.code).where(_IN_ACCOUNT, attachments.c.code.in_(bindparam("codes", expanding=True))),
    across_projects="upkeep",
)
_INSERT = Statement(insert(attachments))
_DELETE_OF_TICKET = Statement(delete(attachments).where(_OF_TICKET).returning(attachments.c.code))
_DELETE_OF_VERSION = Statement(delete(attachments).where(_OF_VERSION).returning(attachments.c.code))


def key_of(account_id: int, code: str) -> str:
    """Return the storage key of an attachment's bytes."""
    return f"{account_id}/{code}"


def one(transaction: Transaction, project_id: int, attachment_id: int) -> Download | None:
    """Return an attachment of a project."""
    row = transaction.one(_ONE, project_id=project_id, id=attachment_id)
    if row is None:
        return None
    attachment = _SHAPE.record(row[:-1], transaction)
    return Download(attachment, row[-1], key_of(transaction.account_id, attachment.code))


def project_of(transaction: Transaction, attachment_id: int) -> int | None:
    """Return the id of the project that an attachment of the account belongs to."""
    project_id: int | None = transaction.value(_PROJECT, id=attachment_id)
    return project_id


def of_ticket(transaction: Transaction, project_id: int, number: int) -> list[Attachment]:
    """Return the attachments of a ticket and of all its comments, by version, oldest first."""
    return _SHAPE.all(transaction, _LIST, project_id=project_id, number=number)


def of_version(transaction: Transaction, project_id: int, number: int, version: int) -> list[Attachment]:
    """Return the attachments of one version of a ticket, oldest first."""
    key = {"project_id": project_id, "number": number, "version": version}
    return _SHAPE.all(transaction, _LIST_OF_VERSION, **key)


def of_several(transaction: Transaction, project_id: int, numbers: list[int]) -> dict[int, list[Attachment]]:
    """Return the attachments of tickets that have any, by number, as ``of_ticket`` does."""
    attachments: dict[int, list[Attachment]] = {}
    for *row, number in transaction.all(_OF_SEVERAL, project_id=project_id, numbers=numbers):
        attachments.setdefault(number, []).append(_SHAPE.record(row, transaction))
    return attachments


def known(transaction: Transaction, codes: Iterable[str]) -> set[str]:
    """Return the codes among these that attachments of the account have."""
    return {row[0] for row in transaction.all(_KNOWN, codes=list(codes))}


def add(transaction: Transaction, **values: Any) -> None:
    """Add an attachment under the account's next id."""
    attachment_id = counters.next_id(transaction, "attachments")
    transaction.run(_INSERT, id=attachment_id, message_id=None, created_at=transaction.now, **values)


def remove_of_ticket(transaction: Transaction, project_id: int, number: int) -> None:
    """Remove the attachments of a ticket, and their bytes after the commit."""
    _release(transaction, transaction.all(_DELETE_OF_TICKET, project_id=project_id, number=number))


def remove_of_version(transaction: Transaction, project_id: int, number: int, version: int) -> int:
    """Remove the attachments that came with one version, as ``remove_of_ticket`` does; return how many."""
    key = {"project_id": project_id, "number": number, "version": version}
    removed = transaction.all(_DELETE_OF_VERSION, **key)
    _release(transaction, removed)
    return len(removed)


def release_project_files(transaction: Transaction, project_id: int) -> None:
    """Remove the bytes of all files in a project after the commit; the rows go with the project."""
    _release(transaction, transaction.all(_CODES, project_id=project_id))


def _release(transaction: Transaction, codes: list[Row]) -> None:
    if codes and transaction.blobs:
        keys = [key_of(transaction.account_id, code) for (code,) in codes]
        transaction.after_durable_commit(partial(transaction.blobs.release, keys))
