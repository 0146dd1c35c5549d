"""The tags of a project's tickets."""

from collections import Counter

from sqlalchemy import bindparam, select

from skerry.database.statements import Statement, in_project, inline_literal
from skerry.database.transactions import Transaction
from skerry.store.counts.counters import StoredCounts
from skerry.store.tables import tag_counts, taggings, tickets
from skerry.text.tags import read_tags

COUNTS = StoredCounts(tag_counts, taggings)
"""The counts by the name of a tag."""

_RECENT = 300
"""How many tickets, those changed last, are counted for suggestions: current tags at a limited cost."""

_NEWEST = Statement(
    select(tickets.c.tag)
    .where(in_project(tickets))
    .order_by(tickets.c.updated_at.desc(), tickets.c.number.desc())
    .limit(inline_literal("recent"))
)

_IN_USE = (in_project(tag_counts), tag_counts.c.tickets_count > 0)

_COUNTS = Statement(
    select(tag_counts.c.tag, tag_counts.c.tickets_count)
    .where(*_IN_USE)
    .order_by(tag_counts.c.tickets_count.desc(), tag_counts.c.tag)
    .limit(inline_literal("most"))
)

_FROM = Statement(
    select(tag_counts.c.tag)
    .where(*_IN_USE, tag_counts.c.tag >= bindparam("prefix"))
    .order_by(tag_counts.c.tag)
    .limit(inline_literal("most"))
)


def counts(transaction: Transaction, project_id: int, most: int) -> list[tuple[str, int]]:
    """Return the most used tags of a project with their numbers of tickets."""
    return transaction.all(_COUNTS, project_id=project_id, most=most)


def suggested(transaction: Transaction, project_id: int, prefix: str, most: int) -> list[str]:
    """Return tags of a project that begin with a lower-case prefix, up to a limit.

    The tags that recent tickets use most come first, then the others in alphabetical order.
    """
    rows = transaction.all(_NEWEST, project_id=project_id, recent=_RECENT)
    used = Counter[str]()
    # Many tickets have the same tags; each text is read once.
    for text, times in Counter(text for (text,) in rows if text).items():
        used.update(dict.fromkeys(read_tags(text), times))
    ordered = sorted(used.items(), key=lambda pair: (-pair[1], pair[0]))
    suggestions = dict.fromkeys([tag for tag, _ in ordered if tag.startswith(prefix)][:most])
    for (tag,) in transaction.all(_FROM, project_id=project_id, prefix=prefix, most=2 * most):
        if len(suggestions) < most and tag.startswith(prefix):
            suggestions[tag] = None
    return list(suggestions)
