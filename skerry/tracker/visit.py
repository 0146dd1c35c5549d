"""One request as the tracker sees it: who asks, when, in which transaction, and for what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skerry.errors import Missing, Unauthenticated
from skerry.resources.projects import Project
from skerry.store.transactions import Transaction
from skerry.wire.record import Record


class Caller(NamedTuple):
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
        """Say whether the caller sees and does everything in the account."""
        return self.role in ("owner", "administrator")


class Page(NamedTuple):
    """Which part of a list is wanted."""

    number: int = 1
    limit: int = 30

    @property
    def offset(self) -> int:
        """How many items stand before this page."""
        return (self.number - 1) * self.limit


FIRST_PAGE = Page()

Rendered = dict[tuple[int, str, frozenset[str]], str]
"""The HTML of texts, by project and by the changesets of it that they name."""


# Nobody changes a visit or what is asked for. But they are made for every request, and a class that
# watches over that takes three times as long to make.


@dataclass(slots=True)
class Visit:
    """One caller's one request; ``project`` is the one that was entered, if any.

    ``member`` says whether the caller works in that project, ``opening_texts`` whether lists of
    tickets show the texts with which they were opened, which the original dialect wants, ``rendered``
    the HTML of texts, as far as it was made beforehand.
    """

    transaction: Transaction
    caller: Caller | None = None
    entered: Project | None = None
    member: bool = False
    opening_texts: bool = False
    rendered: Rendered = field(default_factory=dict)

    def inside(self, project: Project, *, member: bool) -> "Visit":
        """Give the visit of the same caller inside a project."""
        return Visit(self.transaction, self.caller, project, member, self.opening_texts, self.rendered)

    @property
    def author(self) -> Caller:
        """Give the caller; raises Unauthenticated if nobody is signed in."""
        if self.caller is None:
            raise Unauthenticated
        return self.caller

    @property
    def project(self) -> Project:
        """Give the project that was entered; raises Missing if none was."""
        if self.entered is None:
            raise Missing
        return self.entered

    @property
    def project_id(self) -> int:
        """Give the id of the project that was entered; raises Missing if none was."""
        return self.project.id or 0


@dataclass(frozen=True)
class NewFile:
    """A file that has come whole and is kept under its code; name and type are what the sender said.

    ``size`` is in bytes, ``width`` and ``height`` in pixels, None for what is no picture;
    ``checksum`` tells contents apart that are not made to be mistaken. ``picture`` is the media type of
    a picture that browsers show, by its bytes, and empty for everything else.
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
class Ask:
    """What is asked for.

    The numbers and texts in the path, the checked draft, what stands beside it, the parameters of
    the query string, the page of a list, the files that came, the HTML of texts in the draft, and
    whether the draft is of a record that was read here and is sent back.
    """

    ids: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    draft: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    page: Page = FIRST_PAGE
    files: tuple[NewFile, ...] = ()
    rendered: Rendered = field(default_factory=dict)
    sent_back: bool = False


@dataclass(frozen=True)
class Listing:
    """A list or a page of one; ``total`` counts all pages and is None where the list is whole.

    ``exact`` says whether it does, or stopped counting there. ``extra`` are numbers that stand in
    the body beside the items.
    """

    kind: type[Record]
    records: list[Any]
    total: int | None = None
    exact: bool = True
    extra: Mapping[str, int] | None = None
