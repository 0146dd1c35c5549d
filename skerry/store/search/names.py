"""Resolution of the names in a query in the searched projects: people, milestones, states, projects.

An unknown name matches nothing: a state may have been removed, or a person have left, and a saved query must
not fail because of that.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, TypeVar

from sqlalchemy import BindParameter, bindparam, exists, or_, select

from skerry.database.statements import Row, Statement, in_account
from skerry.database.transactions import Transaction
from skerry.store import calendar
from skerry.store.milestones import is_ahead, order
from skerry.store.people.person import VALID_HERE
from skerry.store.projects import SeenIds, Visibility, visible_names
from skerry.store.tables import (
    account_members,
    logins,
    milestones,
    project_members,
    projects,
    state_counts,
    users,
)
from skerry.text import project_words
from skerry.text.levels import read_levels
from skerry.text.project_words import NamedProject
from skerry.text.queries.query_tree import MYSELF, NEXT
from skerry.text.states import StatesError, read_states
from skerry.text.words import folded


@dataclass(frozen=True)
class Scope:
    """The scope of a search: the ids of projects, and the person that ``me`` stands for, if any.

    If others share the result, ``today`` is the day in the time zone of the account, else in that of the
    person. Links count if the ``reader`` sees both tickets, or if both are in the searched projects.
    """

    project_ids: SeenIds
    me: int | None
    shared: bool = False
    reader: Visibility | None = None


@dataclass(frozen=True)
class _Milestone:
    id: int
    project_id: int
    title: str
    due_on: int | None
    completed_at: int | None


_PROJECT_IDS: BindParameter[Any] = bindparam("project_ids", expanding=True)

_PROJECTS = Statement(
    select(projects.c.id, projects.c.name, projects.c.permalink, projects.c.importance_levels).where(
        in_account(projects), projects.c.id.in_(_PROJECT_IDS)
    )
)

_STATES = Statement(
    select(state_counts.c.state)
    .where(
        in_account(state_counts),
        state_counts.c.project_id.in_(_PROJECT_IDS),
        state_counts.c.tickets_count > 0,
    )
    .distinct()
    .order_by(state_counts.c.state)
)

_DEFINED_STATES = Statement(
    select(projects.c.open_states, projects.c.closed_states)
    .where(in_account(projects), projects.c.id.in_(_PROJECT_IDS))
    .order_by(projects.c.id)
)

_MILESTONES = Statement(
    select(*(milestones.c[name] for name in _Milestone.__dataclass_fields__)).where(
        in_account(milestones), milestones.c.project_id.in_(_PROJECT_IDS)
    )
)

_PEOPLE = Statement(select(users.c.id, users.c.name), across_accounts=True)

# The caller must belong to the account or to one of the projects; otherwise anybody could probe addresses.
_LOGIN = Statement(
    select(logins.c.user_id).where(
        logins.c.email == bindparam("email"),
        VALID_HERE,
        or_(
            exists().where(in_account(account_members), account_members.c.user_id == bindparam("me")),
            exists().where(
                in_account(project_members),
                project_members.c.project_id.in_(_PROJECT_IDS),
                project_members.c.user_id == bindparam("me"),
            ),
        ),
    )
)

# No id is 0, which searches use for missing values.
_ID = re.compile(r"(?=0*[1-9])[0-9]{1,18}")
_MILESTONE_ID = re.compile(r"id#(?=0*[1-9])([0-9]{1,18})", re.IGNORECASE)


T = TypeVar("T")


class Names:
    """The names of one search; each kind is read from the database when it is first needed."""

    def __init__(self, transaction: Transaction, scope: Scope) -> None:
        """Create an empty object; names are looked up on demand."""
        self._transaction = transaction
        self.scope = scope

    @cached_property
    def _projects(self) -> list[Row]:
        return self._transaction.all(_PROJECTS, project_ids=self.scope.project_ids)

    @cached_property
    def _visible(self) -> list[NamedProject]:
        if self.scope.reader is None:
            return [NamedProject(row[0], row[1], row[2] or "") for row in self._projects]
        return visible_names(self._transaction, self.scope.reader)

    @property
    def seen(self) -> list[int]:
        """Return the ids of the projects whose tickets may be at the other ends of links."""
        return sorted(project.id for project in self._visible)

    def tickets(self, text: str) -> list[tuple[int, int]]:
        """Return the tickets, by project and number, that a text such as ``12`` or ``roof#12`` names."""
        word, _, number = text.rpartition("#")
        if not word:
            return [(project_id, int(number)) for project_id in self.scope.project_ids]
        named = project_words.resolved([word.lower()], self._visible)
        return [(project_id, int(number)) for project_id in named.values()]

    @cached_property
    def _states(self) -> list[str]:
        rows = self._transaction.all(_STATES, project_ids=self.scope.project_ids)
        return [state for (state,) in rows]

    @cached_property
    def _milestones(self) -> list[_Milestone]:
        """Return the milestones in the order in which they are listed."""
        rows = self._transaction.all(_MILESTONES, project_ids=self.scope.project_ids)
        listed = (_Milestone(*row) for row in rows)
        return sorted(listed, key=lambda each: order(each.id, each.due_on, each.title))

    @cached_property
    def _by_title(self) -> dict[str, list[int]]:
        """Return the milestones by title: a query may name hundreds among thousands."""
        ids: dict[str, list[int]] = {}
        for milestone in self._milestones:
            ids.setdefault(folded(milestone.title), []).append(milestone.id)
        return ids

    @cached_property
    def _people(self) -> dict[str, set[int]]:
        """Return people by full and by first names: a query may name hundreds among thousands."""
        ids: dict[str, set[int]] = {}
        for user_id, name in self._transaction.all(_PEOPLE):
            whole = folded(name)
            for called in (whole, whole.partition(" ")[0]):
                ids.setdefault(called, set()).add(user_id)
        return ids

    @cached_property
    def today(self) -> date:
        """Return the present day."""
        return calendar.today(self._transaction, None if self.scope.shared else self.scope.me)

    def states(self, name: str) -> list[str]:
        """Return the spellings in which tickets have a state."""
        wanted = folded(name)
        return [state for state in self._states if folded(state) == wanted]

    def state_order(self) -> list[str]:
        """Return all states of tickets in alphabetical order."""
        return sorted(self._states, key=lambda state: (_ascii_lower(state), state))

    def states_as_defined(self) -> list[str]:
        """Return all states of tickets in the order of the projects' settings, then those that they lack."""
        places: dict[str, int] = {}
        for texts in self._transaction.all(_DEFINED_STATES, project_ids=self.scope.project_ids):
            with suppress(StatesError):
                defined = read_states(*(text or "" for text in texts))
                for state in (*defined.open, *defined.closed):
                    places.setdefault(folded(state.name), len(places))
        return sorted(self.state_order(), key=lambda state: places.get(folded(state), len(places)))

    def people(self, name: str) -> list[int]:
        """Return the ids of people by ``me``, a full or first name, an id, or a login.

        Only members of the account or of one of the projects can find people by login, so that others cannot
        probe addresses.
        """
        wanted = folded(name)
        if wanted == MYSELF:
            return [] if self.scope.me is None else [self.scope.me]
        ids = set(self._people.get(wanted, ()))
        if _ID.fullmatch(name):
            ids.add(int(name))
        if "@" in name and self.scope.me is not None:
            ids.update(self._with_login(name.lower(), self.scope.me))
        return sorted(ids)

    def _with_login(self, email: str, me: int) -> list[int]:
        values = {"email": email, "me": me, "project_ids": self.scope.project_ids}
        return [row[0] for row in self._transaction.all(_LOGIN, **values)]

    def milestones(self, name: str) -> list[int]:
        """Return the ids of the milestones with a name: ``next``, a title with any ``*``, or ``id#7``."""
        by_id = _MILESTONE_ID.fullmatch(name)
        if by_id:
            return [int(by_id[1])]
        pattern = folded(name)
        if pattern == NEXT:
            return sorted(self._next().values())
        if "*" not in pattern:
            return self._by_title.get(pattern, [])
        return [
            milestone_id
            for title in fitting(pattern, self._by_title)
            for milestone_id in self._by_title[title]
        ]

    def milestone_order(self) -> list[int]:
        """Return the ids of all milestones in the order in which they are listed."""
        return [milestone.id for milestone in self._milestones]

    def _next(self) -> dict[int, int]:
        """Return for each project the open milestone that is due first from today on, if any."""
        next_ids: dict[int, int] = {}
        now = self._transaction.now
        for milestone in self._milestones:
            if milestone.completed_at is None and is_ahead(milestone.due_on, now):
                next_ids.setdefault(milestone.project_id, milestone.id)
        return next_ids

    def levels(self, name: str) -> dict[int, list[int]]:
        """Return the projects that have a level of importance with a name, by its number."""
        numbers: dict[int, list[int]] = {}
        for project_id, *_, levels in self._projects:
            level = read_levels(levels).find(name)
            if level:
                numbers.setdefault(level.number, []).append(project_id)
        return numbers

    def projects(self, name: str) -> list[int]:
        """Return the ids of the searched projects with a name, a permalink or an id."""
        wanted = folded(name)
        return sorted(
            project_id
            for project_id, its_name, permalink, _ in self._projects
            if wanted in (folded(its_name), permalink, str(project_id))
        )


def _ascii_lower(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def fitting(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that match a pattern, in which each ``*`` stands for any text or none."""
    first, *pieces, last = pattern.split("*")
    # A quick check usually leaves few names for the exact one.
    rarest, least = max(pieces, key=len, default=""), len(first) + len(last)
    candidates = [name for name in names if rarest in name and name.startswith(first) and name.endswith(last)]
    return [
        name
        for name in candidates
        if len(name) >= least and _has_in_order(name, pieces, len(first), len(name) - len(last))
    ]


def _has_in_order(name: str, pieces: Iterable[str], at: int, end: int) -> bool:
    for piece in pieces:
        # The first match leaves the longest rest for the pieces that follow.
        start = name.find(piece, at, end)
        if start < 0:
            return False
        at = start + len(piece)
    return True
