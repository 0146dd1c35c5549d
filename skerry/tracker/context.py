"""One request as the tracker sees it: ``Context`` says who asks, in which transaction; ``Params`` what for.

The work behind each route is a function of these two.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, TypeVar

from skerry.errors import NotFound, Unauthenticated
from skerry.resources.projects import Project
from skerry.store.engine.transactions import Transaction
from skerry.wire.drafts import Draft
from skerry.wire.record import Record

R = TypeVar("R", bound=Record)


class Principal(NamedTuple):
    """Who asks, as far as it is proven, and with what key.

    ``role`` is the caller's role in the account, None for somebody from outside it.
    ``token_project`` is the only project that the token opens, 0 when it opens all; ``token_id`` is
    0 for somebody with a password, ``session_id`` 0 for everybody but a signed-in browser.
    """

    user_id: int
    name: str
    role: str | None
    read_only: bool = False
    token_project: int = 0
    token_id: int = 0
    session_id: int = 0

    @property
    def administrator(self) -> bool:
        """Return whether the caller sees and does everything in the account."""
        return self.role in ("owner", "administrator")


class Page(NamedTuple):
    """Which part of a list is wanted."""

    number: int = 1
    limit: int = 30

    @property
    def offset(self) -> int:
        """How many items stand before this page."""
        return (self.number - 1) * self.limit

    def last(self, total: int) -> int:
        """Return the number of the last page of so many items.

        Where there are none, the first is the last.
        """
        return max(1, -(-total // self.limit))


FIRST_PAGE = Page()

Rendered = dict[tuple[int, str, frozenset[str]], str]
"""The HTML of texts, by project and by the changesets of it that they name."""


# Nothing changes a context or a set of params. But they are made for every request, and a frozen class takes
# three times as long to make.


@dataclass(slots=True)
class Context:
    """One caller's one request; ``project`` is the one that ``access.enter`` let them into, if any.

    ``member`` says whether the caller works in that project. ``opening_texts`` says whether lists show the
    opening texts of tickets, as the original dialect does. ``rendered`` is the HTML of texts that was made
    beforehand.
    """

    transaction: Transaction
    principal: Principal | None = None
    entered: Project | None = None
    member: bool = False
    opening_texts: bool = False
    rendered: Rendered = field(default_factory=dict)

    def inside(self, project: Project, *, member: bool) -> "Context":
        """Return the context of the same caller inside a project."""
        return Context(self.transaction, self.principal, project, member, self.opening_texts, self.rendered)

    @property
    def author(self) -> Principal:
        """Return the caller; raises Unauthenticated if nobody is signed in."""
        if self.principal is None:
            raise Unauthenticated
        return self.principal

    @property
    def project(self) -> Project:
        """Return the project that was entered; raises NotFound if none was."""
        if self.entered is None:
            raise NotFound
        return self.entered

    @property
    def project_id(self) -> int:
        """Return the id of the project that was entered; raises NotFound if none was."""
        return self.project.id or 0


@dataclass(frozen=True)
class NewFile:
    """A file that has come whole and is kept under its code; name and type are what the sender said.

    ``size`` is in bytes; ``width`` and ``height`` are in pixels, None for what is no picture. ``checksum``
    is not a cryptographic one. ``picture`` is the media type of a picture that browsers show, found in its
    bytes, and empty for everything else.
    """

    code: str
    filename: str
    content_type: str
    size: int
    checksum: int
    width: int | None
    height: int | None
    picture: str = ""


@dataclass(slots=True)
class Params:
    """What is asked for.

    ``ids`` and ``texts`` are the numbers and texts in the path, ``draft`` is the checked body and ``beside``
    the parameters beside it, ``query`` those of the query string. ``page`` is the page of a list, ``files``
    are the files that came, ``rendered`` is the HTML of texts in the draft. ``sent_back`` says whether the
    body is a record that was read here before.
    """

    ids: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    draft: Mapping[str, object] = field(default_factory=dict)
    beside: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    page: Page = FIRST_PAGE
    files: tuple[NewFile, ...] = ()
    rendered: Rendered = field(default_factory=dict)
    sent_back: bool = False

    def draft_of(self, kind: type[R]) -> Draft[R]:
        """Return what the body holds of a record of a class."""
        return Draft(kind, self.draft)

    def drafting(self, draft: Draft[R]) -> "Params":
        """Return the same with another draft."""
        return replace(self, draft=draft.sent)


@dataclass(frozen=True)
class ResultPage(Generic[R]):
    """A list or a page of one; ``total`` counts the items of all pages, and is None if there are no pages.

    If it is not ``exact``, counting stopped at the total. ``extra`` are numbers that stand in the body
    beside the items.
    """

    kind: type[R]
    records: list[R]
    total: int | None = None
    exact: bool = True
    extra: Mapping[str, int] | None = None
