"""Lists of which one page is shown, and in which something is found by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar
from urllib.parse import urlencode

from skerry.tracker.context import Page, Params, ResultPage
from skerry.wire.record import Record

R = TypeVar("R", bound=Record)
L = TypeVar("L")

LONGEST = 200
"""Characters of what is looked for that count; the fields take no more."""

# What in an address says what is looked for in its lists.
_SOUGHT = ("q", "whom", "project")

_MOST_CHOICES = 100


class Numbered(Protocol):
    """What is chosen by its number."""

    @property
    def id(self) -> int | None:
        """The number; None for what is not kept yet."""


@dataclass(frozen=True)
class Lines(Generic[L]):
    """A page of a list: its lines, of how many, where the list stands, and what shows this page again.

    ``chosen`` is the line that decided which page it is, if one did.
    """

    records: Sequence[L]
    total: int
    page: Page
    address: str
    sought: str
    kept: str
    chosen: L | None = None

    @property
    def pages_at(self) -> str:
        """Return the address to which the number of a page is added."""
        return f"{self.address}?{urlencode({'q': self.sought})}&" if self.sought else f"{self.address}?"

    @property
    def here(self) -> str:
        """Return the address of this page."""
        return self.address + self.kept

    @property
    def saved(self) -> str:
        """Return the address of this page that says that a form was taken."""
        return f"{self.here}&saved" if self.kept else f"{self.address}?saved"

    @property
    def can_be_searched(self) -> bool:
        """Return whether there is more than fits on a page, or was before something was sought."""
        return bool(self.sought) or self.total > self.page.limit


@dataclass(frozen=True)
class Choices:
    """The first of what may be chosen in a form, of how many, and what was sought among it and where."""

    records: Sequence[Numbered]
    total: int
    name: str
    address: str
    sought: str

    @property
    def can_be_searched(self) -> bool:
        """Return whether there is more than stands in the form, or was before something was sought."""
        return bool(self.sought) or self.total > len(self.records)

    @property
    def only(self) -> int | None:
        """Return the number of the one that is left to be chosen, if what was sought left no other."""
        return self.records[0].id if self.sought and self.total == 1 else None

    @property
    def kept(self) -> str:
        """Return the query string that shows the same choices again."""
        return f"?{urlencode({self.name: self.sought})}" if self.sought else ""


def choices(params: Params, address: str, name: str, found: Sequence[Numbered]) -> Choices:
    """Return the first of what was found by name, which was asked for under the name of a field."""
    return Choices(found[:_MOST_CHOICES], len(found), name, address, sought(params, name))


def lines(
    params: Params, address: str, found: Sequence[L], on_a_page: int, chosen: str = "", key: str = "id"
) -> Lines[L]:
    """Return the requested page of results, or the one that contains ``chosen``.

    That is what the query has under this name, and the line has in its field ``key``.
    """
    place = _place(found, key, params.query.get(chosen))
    wanted = params.page.number if place is None else place // on_a_page + 1
    page = there(Page(wanted, on_a_page), len(found))
    records = found[page.offset : page.offset + page.limit]
    kept = _kept(params, page.number)
    line = None if place is None else found[place]
    return Lines(records, len(found), page, address, sought(params, "q"), kept, line)


def led_back(params: Params, address: str, removed: int) -> str:
    """Return the address of a list that says that something was removed, as it was when one came from it."""
    kept = _kept(params, params.page.number)
    return f"{address}{kept}{'&' if kept else '?'}removed={removed}"


def _kept(params: Params, page: int) -> str:
    shown = {name: sought(params, name) for name in _SOUGHT if params.query.get(name)}
    if page > 1:
        shown["page"] = str(page)
    return f"?{urlencode(shown)}" if shown else ""


def _place(found: Sequence[object], key: str, wanted: str | None) -> int | None:
    if not wanted:
        return None
    return next((place for place, line in enumerate(found) if str(getattr(line, key)) == wanted), None)


def there(page: Page, total: int) -> Page:
    """Return a page of rows, or the last page if there are fewer."""
    return page._replace(number=min(page.number, page.last(total)))


def last_there(page: Page, work: Callable[[Page], ResultPage[R]]) -> tuple[ResultPage[R], Page]:
    """Return a page of a list, or the last page if the list is shorter."""
    results = work(page)
    last = page if results.records else there(page, results.total or 0)
    return (results, page) if last == page else (work(last), last)


def sought(params: Params, name: str) -> str:
    """Return the search text of a named field, empty without one."""
    return params.query.get(name, "")[:LONGEST]
