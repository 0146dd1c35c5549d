"""Private tickets: which of them a transaction does not see.

Others than the members of a public project see a private ticket only if they opened it or are responsible for
it. No statement says so itself. Where a transaction has a ``TicketSight``, each query that names a table of
tickets, of what belongs to them, or of their counts, reads instead a common table expression with the name of
that table, without the rows of private tickets. So a new query cannot forget it, and a query of members is
the same as ever.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Exists, FromClause, bindparam, exists, literal_column, or_, select

from skerry.database.statements import Statement, Unprepared, in_account
from skerry.database.transactions import Transaction
from skerry.store import tables
from skerry.store.tables import SEARCH_DOCUMENTS, bulk_edits, project_members, projects, tickets

NOBODY = -1
"""Stands for an anonymous caller, and for all who see only what everybody sees."""

_guarded = projects.alias("guarded")
_own = select(project_members.c.project_id).where(
    in_account(project_members), project_members.c.user_id == bindparam("user_id")
)


def _is_private(table: FromClause) -> ColumnElement[bool]:
    # As a bound value, the planners would not know the index of private tickets.
    return table.c.private == literal_column("1")


def _has_private(table: FromClause, *conditions: ColumnElement[bool]) -> Exists:
    return exists().where(in_account(table), *conditions, _is_private(table))


def _is_guarded() -> tuple[ColumnElement[bool], ...]:
    """Return the condition that a project hides something and the user is not among its members."""
    its, edits = tickets.alias("its"), bulk_edits.alias("its_edits")
    hides_some = or_(*(_has_private(each, each.c.project_id == _guarded.c.id) for each in (its, edits)))
    return in_account(_guarded), _guarded.c.public == 1, _guarded.c.id.not_in(_own), hides_some


_GUARDED = Statement(
    select(_guarded.c.id).where(*_is_guarded()).order_by(_guarded.c.id), across_projects="person"
)

# Most accounts have no private ticket, which the first condition finds out at once.
HIDES_ANY: ColumnElement[bool] = or_(
    _has_private(tickets.alias("any_one")), _has_private(bulk_edits.alias("any_edit"))
) & exists().where(*_is_guarded())
"""The condition that the user must not see some tickets or bulk edits, although they see their projects."""

# --- What is read instead of each table --------------------------------------------------------------

_HIDDEN = """
    SELECT h.project_id, h.number, h.closed, h.state, h.milestone_id FROM {real}tickets AS h {by}
    WHERE h.account_id = :account AND h.private = 1 AND h.project_id IN ({guarded})
        AND h.creator_id <> :viewer AND (h.assigned_user_id IS NULL OR h.assigned_user_id <> :viewer)
"""

_IS_HIDDEN = "EXISTS (SELECT 1 FROM hidden_tickets AS h WHERE h.project_id = {} AND h.number = {})"


def _without(table: str, *ends: tuple[str, str]) -> str:
    """Return the rows of a table that do not lead to a hidden ticket at any of their ends."""
    conditions = "".join(f" AND NOT {_IS_HIDDEN.format(f'r.{one}', f'r.{two}')}" for one, two in ends)
    return f"SELECT r.* FROM {{real}}{table} AS r WHERE r.account_id = :account{conditions}"  # noqa: S608 - our own words


def _counted(table: str, counts: dict[str, str], joined: str = "") -> str:
    """Return the rows of a table with some of its counts reduced."""
    names = (column.name for column in getattr(tables, table).c)
    columns = ", ".join(
        f"r.{name} - ({counts[name]}) AS {name}" if name in counts else f"r.{name}" for name in names
    )
    return f"SELECT {columns} FROM {{real}}{table} AS r {joined} WHERE r.account_id = :account"  # noqa: S608 - as above


def _hidden_where(condition: str) -> str:
    return f"SELECT count(*) FROM hidden_tickets AS h WHERE h.project_id = r.project_id{condition}"  # noqa: S608 - as above


_HERE = (("project_id", "number"),)
_OF_TAGS = """LEFT JOIN (
        SELECT g.project_id, g.tag, count(*) AS tickets FROM hidden_tickets AS h JOIN {real}taggings AS g
        ON g.account_id = :account AND g.project_id = h.project_id AND g.number = h.number
        GROUP BY g.project_id, g.tag
    ) AS tagged ON tagged.project_id = r.project_id AND tagged.tag = r.tag"""
_TOUCHED = """SELECT r.* FROM {real}bulk_edits AS r WHERE r.account_id = :account AND NOT EXISTS (
        SELECT 1 FROM {real}bulk_edit_tickets AS b JOIN hidden_tickets AS h
        ON (h.project_id = r.project_id AND h.number = b.number)
            OR (h.project_id = r.moved_to AND h.number = b.new_number)
        WHERE b.account_id = :account AND b.bulk_edit_id = r.id
    ) AND NOT (r.private = 1 AND r.project_id IN ({guarded}))"""

# PostgreSQL would find the expressions before rather than the tables, so tables come after those that read
# them.
SIGHTS: dict[str, str] = {
    "project_counters": _counted(
        "project_counters",
        {"tickets_count": _hidden_where(""), "open_tickets_count": _hidden_where(" AND h.closed = 0")},
    ),
    "milestones": _counted(
        "milestones",
        {
            "tickets_count": _hidden_where(" AND h.milestone_id = r.id"),
            "open_tickets_count": _hidden_where(" AND h.milestone_id = r.id AND h.closed = 0"),
        },
    ),
    "state_counts": _counted(
        "state_counts", {"tickets_count": _hidden_where(" AND h.state = r.state AND h.closed = r.closed")}
    ),
    "tag_counts": _counted("tag_counts", {"tickets_count": "coalesce(tagged.tickets, 0)"}, _OF_TAGS),
    "bulk_edits": _TOUCHED,
    **{
        name: _without(name, *_HERE)
        for name in ("versions", "version_texts", "watchers", "taggings", "notifications", "claims", "mutes")
    },
    **{name: _without(name, *_HERE) for name in ("attachments", "mail_changes", SEARCH_DOCUMENTS)},
    "search_places": _without("search_places", *_HERE),
    "backlinks": _without("backlinks", *_HERE, ("to_project_id", "to_number")),
    "moved_tickets": _without("moved_tickets", ("new_project_id", "new_number")),
    "ticket_links": _without("ticket_links", *_HERE, ("other_project_id", "other_number")),
    "tickets": _without("tickets", *_HERE),
}
"""The rows of each table that a transaction with a sight sees."""

# The index of the search is kept by whoever writes; only searches must not see all of it.
OF_THE_SEARCH = frozenset({"search_places", SEARCH_DOCUMENTS})

_COUNTS = frozenset({"project_counters", "milestones", "state_counts", "tag_counts"})

_NAMED = re.compile(rf"(?<![\w.\"])({'|'.join(sorted(SIGHTS))})(?![\w.\"])")
_MARKS = re.compile(r":(account|viewer)\b")
_QUERY = re.compile(r"\s*(SELECT|WITH)\b\s*")
_LOCKS = re.compile(r"\bFOR (NO KEY |KEY )?(UPDATE|SHARE)\b")


class TicketSight:
    """What a caller who is not an administrator sees of tickets, in one transaction."""

    def __init__(self, transaction: Transaction, user_id: int) -> None:
        """Create the sight of a user, or of ``NOBODY``."""
        self._transaction, self.user_id = transaction, user_id

    @cached_property
    def guarded(self) -> tuple[int, ...]:
        """Return the visible projects with private tickets of which the user is no member."""
        with self._transaction.seeing(None):
            rows = self._transaction.all(_GUARDED, user_id=self.user_id)
        return tuple(row[0] for row in rows)

    @property
    def key(self) -> object:
        """Return what tells apart those who do not see the same tickets."""
        return (self.user_id, self.guarded) if self.guarded else None

    def limited(
        self, text: str, values: Sequence[Any], *, searches: bool = False
    ) -> tuple[str, Sequence[Any]]:
        """Return a statement that does not see hidden tickets, with its values."""
        named = _tables_in(text, searches=searches)
        if not named or not self.guarded:
            return text, values
        known = {"account": self._transaction.account_id, "viewer": self.user_id}
        if _LOCKS.search(text):
            return Unprepared(_locking(text, named, self.guarded, *known.values())), values
        mark = "%s::BIGINT" if self._transaction.dialect.paramstyle == "format" else "?"
        limited, names = _limited(text, named, self.guarded, mark)
        kind = Unprepared if type(text) is Unprepared else str
        return kind(limited), [*(known[name] for name in names), *values]


def see(transaction: Transaction, user_id: int | None) -> None:
    """Limit a transaction to the tickets that a user, no administrator, may see; None is anonymous."""
    transaction.sight = TicketSight(transaction, NOBODY if user_id is None else user_id)


def of_everybody(transaction: Transaction) -> TicketSight:
    """Return the sight of those who are nobody's member, author or assignee."""
    return TicketSight(transaction, NOBODY)


@lru_cache(maxsize=2_000)
def _tables_in(text: str, *, searches: bool) -> tuple[str, ...]:
    """Return the tables that a query names and that are read differently, in the order of ``SIGHTS``."""
    if not _QUERY.match(text):
        return ()
    named = {*_NAMED.findall(text)} - (frozenset() if searches else OF_THE_SEARCH)
    return tuple(name for name in SIGHTS if name in named)


@lru_cache(maxsize=1_000)
def _limited(
    text: str, named: tuple[str, ...], guarded: tuple[int, ...], mark: str
) -> tuple[str, tuple[str, ...]]:
    """Return a query with what it reads instead of tables, and the names of the values before its own."""
    expressions = [f"hidden_tickets AS NOT MATERIALIZED ({_HIDDEN})"]
    expressions += [f"{name} AS NOT MATERIALIZED ({SIGHTS[name]})" for name in named]
    before = _filled(", ".join(expressions), guarded, mark)
    names = tuple(_MARKS.findall(before))
    match = _QUERY.match(text)
    rest = text[match.end() :] if match and match[1] == "WITH" else ""
    return f"WITH {_MARKS.sub(mark, before)}{f', {rest}' if rest else f' {text}'}", names


def _locking(text: str, named: tuple[str, ...], guarded: tuple[int, ...], account: int, viewer: int) -> str:
    """Return a query that locks rows, which those of a common table expression would not be."""
    values = {"account": str(account), "viewer": str(viewer)}
    hidden = f"({_HIDDEN})"
    for name in named:
        if name not in _COUNTS:
            rows = SIGHTS[name].replace("hidden_tickets", hidden)
            seen = _MARKS.sub(lambda match: values[match[1]], _filled(rows, guarded, "%s"))
            text = re.sub(rf"\bFROM {name}\b(?! AS)", f"FROM ({seen}) AS {name}", text)
    return text


def _filled(text: str, guarded: tuple[int, ...], mark: str) -> str:
    """Fill in the projects, and what SQLite needs.

    There an expression would read itself, and a look-up by the primary key would read the whole row.
    """
    real, by = ("", "") if mark.startswith("%") else ("main.", "INDEXED BY ix_tickets_private")
    return text.format(real=real, by=by, guarded=", ".join(map(str, guarded)))
