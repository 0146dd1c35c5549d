"""Rows of versions of tickets."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Integer, and_, bindparam, func, literal_column, null, select, update

from skerry.database import rows
from skerry.database.rows import Shape
from skerry.database.statements import (
    OneOf,
    Statement,
    in_account,
    in_project,
    inline_literal,
    insert_into,
    matching,
)
from skerry.database.transactions import Transaction
from skerry.resources.tickets import Version
from skerry.store import earlier_texts, ticket_names
from skerry.store.long_texts import BLOCK, LongTexts
from skerry.store.projects import SeenIds
from skerry.store.tables import tickets, versions
from skerry.store.tickets import BY_KEY

_NOT_READ = ("account_id", "body_edits", "quoted_body")
_STORED = {column.name: column for column in versions.c if column.name not in _NOT_READ}


_SHAPE = Shape(
    Version,
    {
        **_STORED,
        "creator_id": tickets.c.creator_id,
        "permalink": tickets.c.permalink,
        "priority": versions.c.importance,
        **ticket_names.COLUMNS,
        **ticket_names.levels_in(versions),
        "body_deleted_by_name": ticket_names.name_in(versions.c.body_deleted_by),
        "body_edited_by_name": ticket_names.name_in(versions.c.body_edited_by),
    },
    finish=ticket_names.finish,
)

IN_PROJECT = in_project(versions)
_OF_TICKET = and_(IN_PROJECT, versions.c.number == bindparam("number"))
_BY_KEY = and_(_OF_TICKET, versions.c.version == bindparam("version"))

_WITH_NAMES = ticket_names.joined(
    versions.join(tickets, matching(tickets, versions, "project_id", "number")), versions
)

_TEXTS = LongTexts(Version, versions, "version", where=_OF_TICKET)
_WITH_BEGINNINGS = select(*_TEXTS.in_place_of(_SHAPE.columns)).select_from(_WITH_NAMES).where(_OF_TICKET)

_NEWEST_FIRST = Statement(
    _WITH_BEGINNINGS.where(versions.c.version <= bindparam("up_to"))
    .order_by(versions.c.version.desc())
    .limit(inline_literal("block"))
)

_PAGE = Statement(
    _WITH_BEGINNINGS.order_by(versions.c.version)
    .limit(inline_literal("limit"))
    .offset(bindparam("offset", type_=BigInteger))
)

_COUNT = Statement(select(func.count()).select_from(versions).where(_OF_TICKET))

_BEFORE = Statement(
    select(func.count()).select_from(versions).where(_OF_TICKET, versions.c.version < bindparam("version"))
)

_SINCE = Statement(
    _WITH_BEGINNINGS.where(versions.c.version > bindparam("version"))
    .order_by(versions.c.version)
    .limit(inline_literal("block"))
)

_OF_SEVERAL = Statement(
    select(*_SHAPE.columns)
    .select_from(_WITH_NAMES)
    .where(IN_PROJECT, OneOf(versions.c.number, "numbers"))
    .order_by(versions.c.number, versions.c.version)
)

_WITHOUT_TEXTS = _SHAPE.with_columns({"body": literal_column("''"), "body_html": null()})
_OF_LINES = Statement(
    select(*_WITHOUT_TEXTS.columns)
    .select_from(_WITH_NAMES)
    .where(
        in_account(versions),
        versions.c.project_id.in_(bindparam("project_ids", expanding=True)),
        OneOf(versions.c.number, "numbers"),
        OneOf(versions.c.version, "wanted"),
    )
)

_ONE = Statement(select(*_SHAPE.columns).select_from(_WITH_NAMES).where(_BY_KEY))

# Empty in new versions.
_LATER = ("body_deleted_by", "body_edited_at", "body_edited_by", "body_edits", "quoted_body")

INSERT = Statement(insert_into(versions, without=_LATER))

_EDIT = Statement(
    update(versions)
    .where(_BY_KEY)
    .values(
        body=bindparam("new_body"),
        body_html=bindparam("new_body_html"),
        body_deleted_by=None,
        body_edited_at=bindparam("now"),
        body_edited_by=bindparam("editor_id"),
        body_edits=versions.c.body_edits + 1,
        updated_at=bindparam("now"),
    )
    .returning(versions.c.body_edits)
)

_DELETE_TEXT = Statement(
    update(versions)
    .where(_BY_KEY)
    .values(
        body="",
        body_html="",
        body_deleted_by=bindparam("deleter_id"),
        body_edited_at=None,
        body_edited_by=None,
        quoted_body=None,
        updated_at=bindparam("now"),
    )
)

_KEEP_QUOTED = Statement(update(versions).where(_BY_KEY).values(quoted_body=bindparam("quoted")))
_QUOTED = Statement(
    select(
        versions.c.version, func.substr(versions.c.quoted_body, 1, bindparam("most", type_=Integer))
    ).where(
        _OF_TICKET,
        versions.c.version.between(bindparam("first"), bindparam("last")),
        versions.c.quoted_body.is_not(None),
    )
)

# The ticket's revision shows that a version has changed.
_TOUCH = Statement(update(tickets).where(BY_KEY).values(revision=tickets.c.revision + 1))

_DISCOUNT = Statement(
    update(versions)
    .where(_OF_TICKET, versions.c.version > bindparam("version"))
    .values(attachments_count=versions.c.attachments_count - bindparam("files"))
)


def newest(transaction: Transaction, project_id: int, number: int, room: int, up_to: int) -> list[Version]:
    """Return the newest versions of a ticket, up to a given one, that fit into the room, oldest first."""
    here = {"project_id": project_id, "number": number}

    def block(before: int) -> list[Version]:
        return _SHAPE.all(transaction, _NEWEST_FIRST, up_to=min(before, up_to), block=BLOCK, **here)

    return _TEXTS.newest(transaction, block, room, **here)


def page(transaction: Transaction, project_id: int, number: int, *, limit: int, offset: int) -> list[Version]:
    """Return some versions of a ticket, oldest first, with long texts cut to the room."""
    here = {"project_id": project_id, "number": number}
    rows = transaction.all(_PAGE, limit=limit, offset=offset, **here)
    return _TEXTS.fitted(transaction, _SHAPE.records(rows, transaction), **here)


def count(transaction: Transaction, project_id: int, number: int) -> int:
    """Return how many versions a ticket has."""
    return int(transaction.value(_COUNT, project_id=project_id, number=number))


def count_before(transaction: Transaction, project_id: int, number: int, version: int) -> int:
    """Return how many versions of a ticket are older than one."""
    return int(transaction.value(_BEFORE, project_id=project_id, number=number, version=version))


def since(transaction: Transaction, project_id: int, number: int, version: int) -> list[Version]:
    """Return the first versions of a ticket after one, with the beginnings of their texts."""
    return _SHAPE.all(transaction, _SINCE, project_id=project_id, number=number, version=version, block=BLOCK)


def of_several(transaction: Transaction, project_id: int, numbers: list[int]) -> list[Version]:
    """Return all versions of some tickets, by number, oldest first."""
    return _SHAPE.all(transaction, _OF_SEVERAL, project_id=project_id, numbers=numbers)


def without_texts(
    transaction: Transaction, project_ids: SeenIds, numbers: Sequence[int], wanted: Sequence[int]
) -> list[Version]:
    """Return the versions that have one of the numbers in some tickets, without their texts."""
    values = {"project_ids": project_ids, "numbers": numbers, "wanted": wanted}
    return _WITHOUT_TEXTS.all(transaction, _OF_LINES, **values)


def one(transaction: Transaction, project_id: int, number: int, version: int) -> Version | None:
    """Return one version of a ticket."""
    return _SHAPE.one(transaction, _ONE, project_id=project_id, number=number, version=version)


def add(
    transaction: Transaction, *, diffable_attributes: dict[str, Any], watchers_ids: list[int], **values: Any
) -> None:
    """Add a version."""
    now = transaction.now
    values["diffable_attributes"] = json.dumps(diffable_attributes, ensure_ascii=False)
    values["watchers_ids"] = rows.written(watchers_ids)
    transaction.run(INSERT, created_at=now, updated_at=now, **values)


def edit(transaction: Transaction, version: Version, body: str, body_html: str, *, editor_id: int) -> None:
    """Replace the text of a version, and keep the present one."""
    new = {"new_body": body, "new_body_html": body_html, "editor_id": editor_id, "now": transaction.now}
    earlier_texts.OF_VERSIONS.add(transaction, _EDIT, **_key(version), **new)
    touch(transaction, version)


def delete_text(transaction: Transaction, version: Version, *, deleter_id: int) -> None:
    """Delete the text of a version, and its earlier texts."""
    earlier_texts.OF_VERSIONS.remove_all(transaction, **_key(version))
    transaction.run(_DELETE_TEXT, deleter_id=deleter_id, now=transaction.now, **_key(version))
    touch(transaction, version)


def touch(transaction: Transaction, version: Version) -> None:
    """Increment the ticket's revision, because one of its versions has changed."""
    transaction.run(_TOUCH, project_id=version.project_id, number=version.number)


def _key(version: Version) -> dict[str, int | None]:
    return {"project_id": version.project_id, "number": version.number, "version": version.version}


def keep_quoted(transaction: Transaction, project_id: int, number: int, version: int, quoted: str) -> None:
    """Store what was left out of the text of a version."""
    transaction.run(_KEEP_QUOTED, project_id=project_id, number=number, version=version, quoted=quoted)


def quoted(
    transaction: Transaction, project_id: int, number: int, first: int, last: int, most: int
) -> dict[int, str]:
    """Return the beginning of what was left out of some versions, by version."""
    rows = transaction.all(_QUOTED, project_id=project_id, number=number, first=first, last=last, most=most)
    return dict(map(tuple, rows))


def discount(transaction: Transaction, version: Version, files: int) -> None:
    """Reduce the counts of files of the versions after this one; the count in a version excludes its own."""
    transaction.run(
        _DISCOUNT, project_id=version.project_id, number=version.number, version=version.version, files=files
    )
