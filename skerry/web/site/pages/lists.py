"""Lists on pages: paged, and searchable by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import urlencode

from skerry.tracker import held_texts
from skerry.tracker.context import Context, Params, RequestedPage, ResultPage
from skerry.wire.record import Record

R = TypeVar("R", bound=Record)
L = TypeVar("L")

MAX_LENGTH = 200
"""The maximum length of a search text; the fields accept no more."""

# The query parameters of searches in lists.
_SEARCH_FIELDS = ("q", "whom", "project")

_MAX_CHOICES = 100


class Numbered(Protocol):
    """An object with an id."""

    @property
    def id(self) -> int | None:
        """Return the id; None before it is stored."""


@dataclass(frozen=True)
class Lines(Generic[L]):
    """A page of a list: its lines, the total, its URL, and the query that shows it again.

    ``chosen`` is the line that determined the page, if any.
    """

    records: Sequence[L]
    total: int
    page: RequestedPage
    address: str
    search_text: str
    query_string: str
    chosen: L | None

    @property
    def pages_at(self) -> str:
        """Return the URL to which the number of a page is appended."""
        return (
            f"{self.address}?{urlencode({'q': self.search_text})}&"
            if self.search_text
            else f"{self.address}?"
        )

    @property
    def here(self) -> str:
        """Return the URL of this page."""
        return self.address + self.query_string

    @property
    def saved(self) -> str:
        """Return the URL of this page with the parameter that says that a form was saved."""
        return f"{self.here}&saved" if self.query_string else f"{self.address}?saved"

    @property
    def can_be_searched(self) -> bool:
        """Return whether the list has a search field: it is longer than a page, or was before the search."""
        return bool(self.search_text) or self.total > self.page.limit


@dataclass(frozen=True)
class FirstChoices:
    """The first choices for a form, their total, and the search among them."""

    records: Sequence[Numbered]
    total: int
    name: str
    address: str
    search_text: str

    @property
    def can_be_searched(self) -> bool:
        """Return whether the choices have a search field: there are more than shown, or were before it."""
        return bool(self.search_text) or self.total > len(self.records)

    @property
    def only(self) -> int | None:
        """Return the id of the choice if the search left only one."""
        return self.records[0].id if self.search_text and self.total == 1 else None

    @property
    def query_string(self) -> str:
        """Return the query string that shows the same choices again."""
        return f"?{urlencode({self.name: self.search_text})}" if self.search_text else ""


def choices(params: Params, address: str, name: str, records: Sequence[Numbered]) -> FirstChoices:
    """Return the first results of a search by name; its parameter is named after a form field."""
    return FirstChoices(records[:_MAX_CHOICES], len(records), name, address, search_text(params, name))


def lines(
    params: Params, address: str, all_records: Sequence[L], on_a_page: int, chosen: str = "", key: str = "id"
) -> Lines[L]:
    """Return the requested page of results, or the one that contains ``chosen``.

    The query contains its key under the name ``key``, which is also the field of the record.
    """
    index = _index(all_records, key, params.query.get(chosen))
    number = params.page.number if index is None else index // on_a_page + 1
    page = clamped(RequestedPage(number, on_a_page), len(all_records))
    records = all_records[page.offset : page.offset + page.limit]
    query_string = _query_string(params, page.number)
    line = None if index is None else all_records[index]
    return Lines(records, len(all_records), page, address, search_text(params, "q"), query_string, line)


def url_after_removal(params: Params, address: str, removed: int) -> str:
    """Return the URL of the page that a removed item was on, with a parameter that says so."""
    query_string = _query_string(params, params.page.number)
    return f"{address}{query_string}{'&' if query_string else '?'}removed={removed}"


def _query_string(params: Params, page: int) -> str:
    shown = {name: search_text(params, name) for name in _SEARCH_FIELDS if params.query.get(name)}
    if page > 1:
        shown["page"] = str(page)
    return f"?{urlencode(shown)}" if shown else ""


def _index(records: Sequence[object], key: str, wanted: str | None) -> int | None:
    if not wanted:
        return None
    return next((index for index, record in enumerate(records) if str(getattr(record, key)) == wanted), None)


def clamped(page: RequestedPage, total: int) -> RequestedPage:
    """Return a page of rows, or the last page if there are fewer."""
    return page._replace(number=min(page.number, page.last(total)))


def existing_page(
    page: RequestedPage, work: Callable[[RequestedPage], ResultPage[R]]
) -> tuple[ResultPage[R], RequestedPage]:
    """Return a page of a list, or the last page if the list is shorter."""
    results = work(page)
    last = page if results.records else clamped(page, results.total or 0)
    return (results, page) if last == page else (work(last), last)


def with_marks(context: Context, result: Any) -> Any:
    """Return a record or a page of them in which marked texts of newcomers say so."""
    return held_texts.with_marks(context, result) if context.transaction.marks_newcomers else result


def search_text(params: Params, name: str) -> str:
    """Return the search text of a named field; empty if there is none."""
    return params.query.get(name, "")[:MAX_LENGTH]
