"""The tags of a project's tickets."""

from collections import Counter

from sqlalchemy import ColumnElement, and_, bindparam, func, select

from skerry.store.statements import Statement, spelt
from skerry.store.tables import taggings, tickets
from skerry.store.transactions import Transaction
from skerry.text.tags import read_tags

_RECENT = 300
"""Tickets whose tags are counted, those changed last: what a project uses now, at a bounded cost."""

_NEWEST = Statement(
    select(tickets.c.tag)
    .where(tickets.c.account_id == bindparam("account_id"), tickets.c.project_id == bindparam("project_id"))
    .order_by(tickets.c.updated_at.desc(), tickets.c.number.desc())
    .limit(spelt("recent"))
)

_IN_PROJECT = and_(
    taggings.c.account_id == bindparam("account_id"), taggings.c.project_id == bindparam("project_id")
)


_COUNTS = Statement(
    select(taggings.c.tag, func.count().label("uses"))
    .where(_IN_PROJECT)
    .group_by(taggings.c.tag)
    .order_by(func.count().desc(), taggings.c.tag)
    .limit(spelt("most"))
)


def _first(condition: ColumnElement[bool]) -> Statement:
    return Statement(select(taggings.c.tag).where(_IN_PROJECT, condition).order_by(taggings.c.tag).limit(1))


_FROM = _first(taggings.c.tag >= bindparam("tag"))
_AFTER = _first(taggings.c.tag > bindparam("tag"))


def counts(transaction: Transaction, project_id: int, most: int) -> list[tuple[str, int]]:
    """Give so many tags of a project with how many tickets have each, those on the most tickets first."""
    return [(tag, uses) for tag, uses in transaction.all(_COUNTS, project_id=project_id, most=most)]


def suggested(transaction: Transaction, project_id: int, prefix: str, most: int) -> list[str]:
    """Give so many tags of a project that begin with a prefix, which is in lower case.

    Those that its newest tickets use most come first, then others in alphabetical order.
    """
    rows = transaction.all(_NEWEST, project_id=project_id, recent=_RECENT)
    used = Counter[str]()
    # Many tickets have the same tags; each text is read once.
    for text, times in Counter(text for (text,) in rows if text).items():
        used.update(dict.fromkeys(read_tags(text), times))
    ordered = sorted(used.items(), key=lambda pair: (-pair[1], pair[0]))
    found = dict.fromkeys([tag for tag, _ in ordered if tag.startswith(prefix)][:most])
    # From one tag to the next along the index, past all the tickets that have it.
    tag = transaction.value(_FROM, project_id=project_id, tag=prefix)
    for _ in range(2 * most):
        if len(found) >= most or tag is None or not tag.startswith(prefix):
            break
        found[tag] = None
        tag = transaction.value(_AFTER, project_id=project_id, tag=tag)
    return list(found)
