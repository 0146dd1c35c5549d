"""Resolution of the names in a query in the searched projects: people, milestones, states, projects.

An unknown name matches nothing: a state may have been removed, or a person have left, and a saved query must
not fail because of that.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from sqlalchemy import BindParameter, bindparam, exists, or_, select

from skerry.store.engine.statements import Statement
from skerry.store.engine.tables import (
    account_members,
    logins,
    milestones,
    project_members,
    projects,
    state_counts,
    users,
)
from skerry.store.engine.transactions import Transaction
from skerry.store.milestones import is_ahead, order
from skerry.text.names import folded


@dataclass(frozen=True)
class Scope:
    """The scope of a search: the ids of projects, and the person that ``me`` stands for, if any."""

    project_ids: tuple[int, ...]
    me: int | None


@dataclass(frozen=True)
class _Project:
    id: int
    name: str
    permalink: str


@dataclass(frozen=True)
class _Milestone:
    id: int
    project_id: int
    title: str
    due_on: int | None
    completed_at: int | None


_IN_ACCOUNT: BindParameter[Any] = bindparam("project_ids", expanding=True)

_PROJECTS = Statement(
    select(*(projects.c[name] for name in _Project.__dataclass_fields__)).where(
        projects.c.account_id == bindparam("account_id"), projects.c.id.in_(_IN_ACCOUNT)
    )
)

_STATES = Statement(
    select(state_counts.c.state)
    .where(
        state_counts.c.account_id == bindparam("account_id"),
        state_counts.c.project_id.in_(_IN_ACCOUNT),
        state_counts.c.tickets_count > 0,
    )
    .distinct()
    .order_by(state_counts.c.state)
)

_MILESTONES = Statement(
    select(*(milestones.c[name] for name in _Milestone.__dataclass_fields__)).where(
        milestones.c.account_id == bindparam("account_id"), milestones.c.project_id.in_(_IN_ACCOUNT)
    )
)

_PEOPLE = Statement(select(users.c.id, users.c.name), across_accounts=True)

# The caller must belong to the account or to one of the projects; otherwise anybody could probe addresses.
_LOGIN = Statement(
    select(logins.c.user_id).where(
        logins.c.email == bindparam("email"),
        or_(
            exists().where(
                account_members.c.account_id == bindparam("account_id"),
                account_members.c.user_id == bindparam("me"),
            ),
            exists().where(
                project_members.c.account_id == bindparam("account_id"),
                project_members.c.project_id.in_(_IN_ACCOUNT),
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
    """The names of one search, each kind read from the database when it is first asked for."""

    def __init__(self, transaction: Transaction, scope: Scope) -> None:
        """Create an empty object; names are looked up on demand."""
        self._transaction = transaction
        self.scope = scope

    @cached_property
    def _projects(self) -> list[_Project]:
        found = self._transaction.all(_PROJECTS, project_ids=self.scope.project_ids)
        return [_Project(*row) for row in found]

    @cached_property
    def _milestones(self) -> list[_Milestone]:
        found = self._transaction.all(_MILESTONES, project_ids=self.scope.project_ids)
        return [_Milestone(*row) for row in found]

    @cached_property
    def _by_title(self) -> dict[str, list[int]]:
        """Return the milestones by title: a query may name hundreds among thousands."""
        found: dict[str, list[int]] = {}
        for milestone in self._milestones:
            found.setdefault(folded(milestone.title), []).append(milestone.id)
        return found

    @cached_property
    def _people(self) -> dict[str, set[int]]:
        """Return people by full and by first names: a query may name hundreds among thousands."""
        found: dict[str, set[int]] = {}
        for user_id, name in self._transaction.all(_PEOPLE):
            whole = folded(name)
            for called in (whole, whole.partition(" ")[0]):
                found.setdefault(called, set()).add(user_id)
        return found

    def states(self, name: str) -> list[str]:
        """Return the spellings in which tickets have a state."""
        return self._states(name)

    def _states(self, name: str) -> list[str]:
        found, wanted = self._transaction.all(_STATES, project_ids=self.scope.project_ids), folded(name)
        return [state for (state,) in found if folded(state) == wanted]

    def people(self, name: str) -> list[int]:
        """Return the ids of people by ``me``, a full or first name, an id, or a login.

        Only members of the account or of one of the projects can find people by login, so that others cannot
        probe addresses.
        """
        return self._called(name)

    def _called(self, name: str) -> list[int]:
        wanted = folded(name)
        if wanted == "me":
            return [] if self.scope.me is None else [self.scope.me]
        found = set(self._people.get(wanted, ()))
        if _ID.fullmatch(name):
            found.add(int(name))
        if "@" in name and self.scope.me is not None:
            found.update(self._with_login(name.lower(), self.scope.me))
        return sorted(found)

    def _with_login(self, email: str, me: int) -> list[int]:
        values = {"email": email, "me": me, "project_ids": self.scope.project_ids}
        return [row[0] for row in self._transaction.all(_LOGIN, **values)]

    def milestones(self, name: str) -> list[int]:
        """Return the ids of the milestones with a name: ``next``, a title with any ``*``, or ``id#7``."""
        return self._titled(name)

    def _titled(self, name: str) -> list[int]:
        by_id = _MILESTONE_ID.fullmatch(name)
        if by_id:
            return [int(by_id[1])]
        pattern = folded(name)
        if pattern == "next":
            return sorted(self._next().values())
        if "*" not in pattern:
            return self._by_title.get(pattern, [])
        return [found for title in fitting(pattern, self._by_title) for found in self._by_title[title]]

    def _next(self) -> dict[int, int]:
        """Return for each project the open milestone that is due first from today on, if any."""
        found: dict[int, int] = {}
        now = self._transaction.now
        for milestone in sorted(self._milestones, key=lambda each: order(each.id, each.due_on, each.title)):
            if milestone.completed_at is None and is_ahead(milestone.due_on, now):
                found.setdefault(milestone.project_id, milestone.id)
        return found

    def projects(self, name: str) -> list[int]:
        """Return the ids of the searched projects with a name, a permalink or an id."""
        return self._named(name)

    def _named(self, name: str) -> list[int]:
        wanted = folded(name)
        return sorted(
            found.id
            for found in self._projects
            if wanted in (folded(found.name), found.permalink, str(found.id))
        )


def fitting(pattern: str, names: Iterable[str]) -> list[str]:
    """Return the names that match a pattern, in which each ``*`` stands for any text or none."""
    first, *pieces, last = pattern.split("*")
    # A quick check usually leaves few names for the exact one.
    rarest, least = max(pieces, key=len, default=""), len(first) + len(last)
    found = [name for name in names if rarest in name and name.startswith(first) and name.endswith(last)]
    return [
        name
        for name in found
        if len(name) >= least and _has_in_order(name, pieces, len(first), len(name) - len(last))
    ]


def _has_in_order(name: str, pieces: Iterable[str], at: int, end: int) -> bool:
    for piece in pieces:
        # The first match leaves the most room for the pieces that follow.
        found = name.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
